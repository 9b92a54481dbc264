// SPDX-License-Identifier: Apache-2.0
#include "runtimes/frame_list_copy.h"

#include <algorithm>
#include <optional>

#include "runtimes/memory_words.h"

namespace wick {
namespace {

using FrameList = StackFindings::FrameList;

std::optional<uint64_t> read_word(InterpreterMemory& memory,
                                  uint64_t address,
                                  FrameListCopy& copy) {
  std::optional<uint64_t> word = read_number<uint64_t>(memory, address);
  if (word) {
    copy.path.push_back({address, *word});
  }
  return word;
}

// 0 if the thread runs nothing, none if the list cannot be read.
std::optional<uint64_t> first_node(InterpreterMemory& memory,
                                   const FrameList& list,
                                   uint64_t pointer,
                                   FrameListCopy& copy) {
  std::optional<uint64_t> head = read_word(memory, pointer, copy);
  if (!head || list.through == FrameList::kDirect || *head == 0) {
    return head;
  }
  return read_word(memory, *head + list.through, copy);
}

bool is_alive(InterpreterMemory& memory, const FrameList& list, FrameListCopy& copy) {
  return list.check == 0 || read_word(memory, list.check, copy) == list.expected;
}

void copy_code(InterpreterMemory& memory, const FrameList& list, CopiedFrameList::Node& node) {
  uint64_t code = number_at<uint64_t>(node.node, list.code) & list.code_mask;
  auto bytes = std::span(node.code).first(std::min<size_t>(list.code_bytes, node.code.size()));
  if (code != 0 && !memory.read(code + list.code_begin, bytes)) {
    node.code = {};
  }
}

// Adds the nodes from this one on; false if there are more that it did not add.
bool copy_nodes(InterpreterMemory& memory,
                const FrameList& list,
                uint64_t address,
                size_t max_nodes,
                std::vector<CopiedFrameList::Node>& nodes) {
  while (address != 0) {
    CopiedFrameList::Node node = {.address = address};
    auto bytes = std::span(node.node).first(std::min<size_t>(list.node_bytes, node.node.size()));
    if (nodes.size() == max_nodes || !memory.read(address, bytes)) {
      return false;
    }
    copy_code(memory, list, node);
    nodes.push_back(node);
    address = number_at<uint64_t>(node.node, list.next);
    if (address == node.address) {
      return false;
    }
  }
  return true;
}

// The same code, called by the same node.
bool is_same_node(const FrameList& list,
                  const CopiedFrameList::Node& a,
                  const CopiedFrameList::Node& b) {
  auto word = [](const CopiedFrameList::Node& node, uint32_t offset) {
    return number_at<uint64_t>(node.node, offset);
  };
  return a.address == b.address && word(a, list.next) == word(b, list.next) &&
         (word(a, list.code) & list.code_mask) == (word(b, list.code) & list.code_mask);
}

}  // namespace

FrameListCopy copy_frame_list(InterpreterMemory& memory, const FrameList& list, size_t max_nodes) {
  FrameListCopy copy;
  std::optional<uint64_t> first =
      is_alive(memory, list, copy) ? first_node(memory, list, list.head, copy) : std::nullopt;
  if (!first) {
    return copy;
  }
  copy.is_known = true;
  bool is_whole = copy_nodes(memory, list, *first, max_nodes, copy.nodes);
  if (is_whole && list.outer != 0) {
    std::optional<uint64_t> outer = first_node(memory, list, list.outer, copy);
    is_whole = outer && copy_nodes(memory, list, *outer, max_nodes, copy.nodes);
  }
  copy.is_cut = !is_whole;
  for (size_t i = 0; i < list.words.size(); ++i) {
    copy.words[i] = read_number<uint64_t>(memory, list.words[i]).value_or(0);
  }
  return copy;
}

std::optional<CopiedFrameList::Node> read_again(InterpreterMemory& memory,
                                                const FrameList& list,
                                                const FrameListCopy& copy) {
  using Node = CopiedFrameList::Node;
  std::vector<uint64_t> words(copy.path.size());
  std::vector<Node> nodes(copy.nodes.size());
  std::vector<MemoryPiece> pieces;
  for (size_t i = 0; i < words.size(); ++i) {
    pieces.push_back(
        {copy.path[i].address, std::as_writable_bytes(std::span(words).subspan(i, 1))});
  }
  auto bytes = std::min<size_t>(list.node_bytes, Node{}.node.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    pieces.push_back({copy.nodes[i].address, std::span(nodes[i].node).first(bytes)});
  }
  if (!copy.is_known || !memory.read_all(pieces) ||
      !std::ranges::equal(words, copy.path, {}, {}, &FrameListCopy::Word::value)) {
    return {};
  }
  if (nodes.empty()) {
    return Node();
  }
  auto callers = [](std::span<const Node> all) { return all.subspan(1); };
  bool same_callers =
      std::ranges::equal(callers(nodes), callers(copy.nodes), {}, &Node::node, &Node::node);
  Node& innermost = nodes.front();
  innermost.address = copy.nodes.front().address;
  innermost.code = copy.nodes.front().code;
  bool is_same = same_callers && is_same_node(list, innermost, copy.nodes.front());
  return is_same ? std::optional(innermost) : std::nullopt;
}

// A list that ends early took a wrong turn.
FrameListCopy copy_steady_frame_list(InterpreterMemory& memory,
                                     const FrameList& list,
                                     size_t max_nodes,
                                     int attempts) {
  FrameListCopy copy;
  for (int attempt = 0; attempt < attempts && !copy.is_steady; ++attempt) {
    copy = copy_frame_list(memory, list, max_nodes);
    bool is_whole = !copy.is_cut || copy.nodes.size() == max_nodes;
    copy.is_steady = is_whole && read_again(memory, list, copy).has_value();
  }
  return copy;
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "runtimes/frame_list_copy.h"

#include <algorithm>
#include <optional>

#include "runtimes/memory_words.h"

namespace wick {
namespace {

using FrameList = StackFindings::FrameList;

// 0 if the thread runs nothing, none if the list cannot be read.
std::optional<uint64_t> first_node(InterpreterMemory& memory,
                                   const FrameList& list,
                                   uint64_t pointer) {
  std::optional<uint64_t> head = read_number<uint64_t>(memory, pointer);
  if (!head || list.through == FrameList::kDirect || *head == 0) {
    return head;
  }
  return read_number<uint64_t>(memory, *head + list.through);
}

bool is_alive(InterpreterMemory& memory, const FrameList& list) {
  return list.check == 0 || read_number<uint64_t>(memory, list.check) == list.expected;
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

// Whether two copies show one list. One that ends early took a wrong turn.
bool is_same_list(const FrameList& list,
                  const FrameListCopy& a,
                  const FrameListCopy& b,
                  size_t max_nodes) {
  auto is_same = [&](const CopiedFrameList::Node& x, const CopiedFrameList::Node& y) {
    auto code = [&](const CopiedFrameList::Node& node) {
      return number_at<uint64_t>(node.node, list.code) & list.code_mask;
    };
    return x.address == y.address && code(x) == code(y);
  };
  bool is_whole = !b.is_cut || b.nodes.size() == max_nodes;
  return a.is_known && b.is_known && is_whole && std::ranges::equal(a.nodes, b.nodes, is_same);
}

}  // namespace

FrameListCopy copy_frame_list(InterpreterMemory& memory, const FrameList& list, size_t max_nodes) {
  FrameListCopy copy;
  std::optional<uint64_t> first =
      is_alive(memory, list) ? first_node(memory, list, list.head) : std::nullopt;
  if (!first) {
    return copy;
  }
  copy.is_known = true;
  bool is_whole = copy_nodes(memory, list, *first, max_nodes, copy.nodes);
  if (is_whole && list.outer != 0) {
    std::optional<uint64_t> outer = first_node(memory, list, list.outer);
    is_whole = outer && copy_nodes(memory, list, *outer, max_nodes, copy.nodes);
  }
  copy.is_cut = !is_whole;
  for (size_t i = 0; i < list.words.size(); ++i) {
    copy.words[i] = read_number<uint64_t>(memory, list.words[i]).value_or(0);
  }
  return copy;
}

FrameListCopy copy_steady_frame_list(InterpreterMemory& memory,
                                     const FrameList& list,
                                     size_t max_nodes,
                                     int attempts) {
  FrameListCopy copy = copy_frame_list(memory, list, max_nodes);
  for (int attempt = 1; attempt < attempts && copy.is_known && !copy.is_steady; ++attempt) {
    FrameListCopy again = copy_frame_list(memory, list, max_nodes);
    again.is_steady = is_same_list(list, copy, again, max_nodes);
    copy = std::move(again);
  }
  return copy;
}

}  // namespace wick

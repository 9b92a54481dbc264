// SPDX-License-Identifier: Apache-2.0
#include "runtimes/frame_list_copy.h"

#include <algorithm>
#include <optional>

#include "runtimes/memory_words.h"

namespace wick {
namespace {

using FrameList = StackFindings::FrameList;

// 0 if the thread runs nothing, none if the list cannot be read.
std::optional<uint64_t> first_node(InterpreterMemory& memory, const FrameList& list) {
  if (list.check != 0 && read_number<uint64_t>(memory, list.check) != list.expected) {
    return {};
  }
  std::optional<uint64_t> head = read_number<uint64_t>(memory, list.head);
  if (!head || list.through == FrameList::kDirect || *head == 0) {
    return head;
  }
  return read_number<uint64_t>(memory, *head + list.through);
}

void copy_code(InterpreterMemory& memory, const FrameList& list, CopiedFrameList::Node& node) {
  uint64_t code = number_at<uint64_t>(node.node, list.code) & list.code_mask;
  auto bytes = std::span(node.code).first(std::min<size_t>(list.code_bytes, node.code.size()));
  if (code != 0 && !memory.read(code + list.code_begin, bytes)) {
    node.code = {};
  }
}

}  // namespace

FrameListCopy copy_frame_list(InterpreterMemory& memory, const FrameList& list, size_t max_nodes) {
  FrameListCopy copy;
  std::optional<uint64_t> next = first_node(memory, list);
  if (!next) {
    return copy;
  }
  copy.is_known = true;
  while (*next != 0) {
    CopiedFrameList::Node node = {.address = *next};
    auto bytes = std::span(node.node).first(std::min<size_t>(list.node_bytes, node.node.size()));
    if (copy.nodes.size() == max_nodes || !memory.read(node.address, bytes)) {
      copy.is_cut = true;
      break;
    }
    copy_code(memory, list, node);
    copy.nodes.push_back(node);
    next = number_at<uint64_t>(node.node, list.next);
    if (*next == node.address) {
      copy.is_cut = true;
      break;
    }
  }
  for (size_t i = 0; i < list.words.size(); ++i) {
    copy.words[i] = read_number<uint64_t>(memory, list.words[i]).value_or(0);
  }
  return copy;
}

}  // namespace wick

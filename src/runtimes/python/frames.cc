// SPDX-License-Identifier: Apache-2.0
#include "runtimes/python/frames.h"

#include <algorithm>

#include "base/hash.h"
#include "runtimes/memory_words.h"

namespace wick::python {
namespace {

constexpr uint32_t kUnknownPosition = UINT32_MAX;

// In bytes from the start of the code. A function that has not started yet is before it: then 0.
uint32_t position_of(const Layout& layout, Bytes node, uint64_t code) {
  constexpr int64_t kLargest = INT32_MAX;
  int64_t position = 0;
  if (layout.frame.position_kind == Layout::Position::kPointer) {
    auto instruction = number_at<uint64_t>(node, layout.frame.position);
    position = static_cast<int64_t>(instruction - code - layout.code.begin);
  } else {
    constexpr int64_t kInstructionBytes = 2;
    bool is_bytes = layout.frame.position_kind == Layout::Position::kBytes;
    position = number_at<int32_t>(node, layout.frame.position) * (is_bytes ? 1 : kInstructionBytes);
  }
  constexpr int64_t kNotStarted = -2;
  bool is_plausible = position >= kNotStarted && position <= kLargest;
  return is_plausible ? static_cast<uint32_t>(std::max<int64_t>(position, 0)) : kUnknownPosition;
}

// The generator or coroutine that a node is the frame of; 0 if it is that of a function.
uint64_t generator_of(const Layout& layout, const CopiedFrameList::Node& node) {
  if (layout.frame.entries == Layout::Entries::kAll) {
    return number_at<uint64_t>(node.node, layout.frame.owner);
  }
  bool is_own = number_at<uint8_t>(node.node, layout.frame.owner) == Layout::kGenerator;
  return is_own ? node.address - layout.coroutine.frame : 0;
}

}  // namespace

uint64_t fingerprint_of(Bytes part) {
  bool is_empty = std::ranges::all_of(part, [](std::byte byte) { return byte == std::byte{}; });
  return is_empty ? 0 : std::max<uint64_t>(hash_bytes(as_text(part)), 1);
}

std::vector<InterpreterFrame> decode_frames(const Layout& layout, const CopiedFrameList& list) {
  using Entries = Layout::Entries;
  std::vector<InterpreterFrame> frames;
  frames.reserve(list.nodes.size());
  for (const CopiedFrameList::Node& node : list.nodes) {
    auto mark = number_at<uint8_t>(node.node, layout.frame.mark);
    if (layout.frame.entries == Entries::kShims && mark >= Layout::kFirstShim) {
      if (!frames.empty() && !frames.back().is_entry) {
        frames.back().is_entry = true;
      } else {
        frames.push_back({.is_entry = true, .node = node.address});
      }
      continue;
    }
    uint64_t code = number_at<uint64_t>(node.node, layout.frame.code) & layout.frame.code_mask;
    if (code == 0) {
      continue;
    }
    bool is_entry = layout.frame.entries == Entries::kAll ||
                    (layout.frame.entries == Entries::kMarked && mark != 0);
    frames.push_back({
        .code = code,
        .fingerprint = fingerprint_of(Bytes(node.code).first(layout.fingerprint_bytes())),
        .position = position_of(layout, node.node, code),
        .is_entry = is_entry,
        .node = node.address,
        .generator = generator_of(layout, node),
    });
  }
  return frames;
}

}  // namespace wick::python

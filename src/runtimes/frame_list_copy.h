// SPDX-License-Identifier: Apache-2.0
// Copies the frames of an interpreter's thread from the memory of its process, exactly as the
// recorder does at a sample. For samples without such a copy, a moment later, and for tests.
//
// The thread may run while its list is copied. Each node is copied with the pointer to the next
// one, so a copy that took a wrong turn ends where memory ends, at a cycle, or at `max_nodes`.
#pragma once

#include <cstddef>
#include <vector>

#include "runtimes/interpreter.h"
#include "stream/stack_feedback.h"

namespace wick {

struct FrameListCopy {
  std::vector<CopiedFrameList::Node> nodes;
  bool is_known = false;
  bool is_cut = false;
  std::array<uint64_t, 2> words = {};

  // Refers to this copy.
  CopiedFrameList list() const { return {is_known, is_cut, nodes, words}; }
};

FrameListCopy copy_frame_list(InterpreterMemory& memory,
                              const StackFindings::FrameList& list,
                              size_t max_nodes);

}  // namespace wick

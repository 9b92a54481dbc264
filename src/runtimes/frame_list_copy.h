// SPDX-License-Identifier: Apache-2.0
// Copies the frames of an interpreter's thread from the memory of its process, exactly as the
// recorder does at a sample. For samples without such a copy, a moment later, and for tests.
//
// The thread may run while its list is copied, and a copy may then have frames that never called each
// other. It ends where memory ends, at a cycle, or at `max_nodes`. If a second copy has the same
// nodes, which run the same code, the list was a true one: a thread would have to return and make the
// same calls again in between.
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
  bool is_steady = false;  // a second copy was the same
  std::array<uint64_t, 2> words = {};

  // Refers to this copy.
  CopiedFrameList list() const { return {is_known, is_cut, nodes, words}; }
};

FrameListCopy copy_frame_list(InterpreterMemory& memory,
                              const StackFindings::FrameList& list,
                              size_t max_nodes);
// Copies until two copies are the same, at most `attempts` times; then the last one, not steady.
FrameListCopy copy_steady_frame_list(InterpreterMemory& memory,
                                     const StackFindings::FrameList& list,
                                     size_t max_nodes,
                                     int attempts);

}  // namespace wick

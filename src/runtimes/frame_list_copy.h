// SPDX-License-Identifier: Apache-2.0
// Copies the frames of an interpreter's thread from the memory of its process, exactly as the
// recorder does at a sample. For samples without such a copy, a moment later, and for tests.
//
// The thread may run while its list is copied, and a copy may then have frames that never called each
// other. It ends where memory ends, at a cycle, or at `max_nodes`. If the same nodes are still there
// when it is read again, and the innermost one runs the same code, the list was a true one: a thread
// would have to return and make the same calls again in between.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtimes/interpreter.h"
#include "stream/stack_feedback.h"

namespace wick {

struct FrameListCopy {
  // A word of the process, on the way to the first nodes.
  struct Word {
    uint64_t address = 0;
    uint64_t value = 0;
  };

  std::vector<CopiedFrameList::Node> nodes;
  bool is_known = false;
  bool is_cut = false;
  bool is_steady = false;  // it was read again, and was the same
  std::array<uint64_t, 3> words = {};
  std::vector<Word> path;

  // Refers to this copy.
  CopiedFrameList list() const { return {is_known, is_cut, nodes, words}; }
};

FrameListCopy copy_frame_list(InterpreterMemory& memory,
                              const StackFindings::FrameList& list,
                              size_t max_nodes);
// Copies until a copy is steady, at most `attempts` times; then the last copy.
FrameListCopy copy_steady_frame_list(InterpreterMemory& memory,
                                     const StackFindings::FrameList& list,
                                     size_t max_nodes,
                                     int attempts);

// Reads a list again, in one step. If it is still that of the copy, and all nodes but the innermost
// one have the same bytes: the innermost node as it is now (zeros if there is none).
std::optional<CopiedFrameList::Node> read_again(InterpreterMemory& memory,
                                                const StackFindings::FrameList& list,
                                                const FrameListCopy& copy);

}  // namespace wick

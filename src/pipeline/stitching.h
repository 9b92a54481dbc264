// SPDX-License-Identifier: Apache-2.0
// Completes stacks that are deeper than their copy, from earlier stacks of the same thread.
//
// A recursion of 500 calls with large frames does not fit into the 64 KB that the kernel copies, so
// its outer frames are missing. But the thread got there step by step, and the outer frames did not
// change in between. An earlier sample may have them: one whose stack was still short enough, or
// one whose tail wick read from the running process. If the last two frames of a truncated stack
// are at the same stack pointers and addresses in a whole stack of the thread, wick takes the tail
// from there and marks each of its frames as stitched.
//
// This is likely, not certain: the thread may have returned far and come back another way to the
// same two frames. So wick stores the last whole stacks of different callers. If two of them
// contain these frames and continue differently, the stack stays truncated. wick considers only
// stacks that fill at least half of the requested copy.
//
// An interpreter's list of functions may be whole although the native stack was cut. Then functions
// whose evaluators are missing follow the last native frame (runtimes/placement.h). The tail must
// have just these functions, at the same lines, and they get into their places in it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "pipeline/batch.h"

namespace wick {

class Stitching {
 public:
  // Samples of a thread must be in the order of their times.
  void apply(uint32_t thread, UnwoundStack& found);
  void forget(uint32_t thread) { whole_.erase(thread); }

 private:
  struct Frame {
    UnresolvedFrame unresolved;
    uint64_t stack_pointer = 0;  // 0: not a native frame, or unknown
  };
  // The user part of a whole stack, leaf first.
  struct Stack {
    uint64_t callers = 0;  // equal for stacks that differ only in their leaf
    std::vector<Frame> frames;
  };
  using Stacks = std::vector<Stack>;  // the last seen first

  static constexpr size_t kMaxThreads = 4096;
  static constexpr size_t kMaxStacks = 16;  // of a thread
  static constexpr size_t kMaxFrames = 1 << 16;

  // Where a stack was cut. Positions are in UnwoundStack::stack_pointers.
  struct Cut {
    size_t last = 0;                         // native frame
    size_t before = 0;                       // the native frame before that one
    std::vector<UnresolvedFrame> functions;  // of an interpreter, outside of the last native frame
  };

  // None if there are not two native frames.
  static std::optional<Cut> cut_of(const UnwoundStack& found);
  // The frames outside of the last two native ones of `found` in `whole`; empty if `whole` does not
  // have these two, or has other functions outside of them.
  static std::span<const Frame> rest_of(const UnwoundStack& found,
                                        const Cut& cut,
                                        const Stack& whole);
  static bool has_functions(std::span<const Frame> rest,
                            std::span<const UnresolvedFrame> functions);
  static void complete(UnwoundStack& found, const Stacks& known);
  static void remember(const UnwoundStack& found, Stacks& known);

  std::unordered_map<uint32_t, Stacks> whole_;  // by thread
};

}  // namespace wick

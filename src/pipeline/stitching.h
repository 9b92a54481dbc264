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
#pragma once

#include <cstdint>
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
    uint64_t stack_pointer = 0;
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

  // The frames after the last two of `found` in `whole`; empty if `whole` does not have these two.
  static std::span<const Frame> rest_of(const UnwoundStack& found, const Stack& whole);
  static void complete(UnwoundStack& found, const Stacks& known);
  static void remember(const UnwoundStack& found, Stacks& known);

  std::unordered_map<uint32_t, Stacks> whole_;  // by thread
};

}  // namespace wick

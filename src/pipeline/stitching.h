// SPDX-License-Identifier: Apache-2.0
// Stacks that are deeper than their copy, completed from what the same thread showed before.
//
// A recursion of 500 calls with large frames does not fit into the 64 KB that the kernel copies, so
// its outer frames are missing. But the thread got there step by step, and the outer frames did not
// change meanwhile: an earlier sample, when the stack was still short enough, shows them, or one
// whose rest could be read from the running process. Where the last two frames of a stack that was
// cut stand at the same stack pointers and addresses in whole stacks of the thread, the rest is
// taken from there, and each frame of it is marked as stitched.
//
// This is likely rather than certain: the thread may have returned far and come back another way to
// the very same two places. So the last whole stacks of different callers are remembered, and when
// two of them pass through these places and go on differently, the stack stays cut. Only stacks of
// which half of what was asked for, or more, is in use are looked at.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "pipeline/batch.h"

namespace wick {

class Stitching {
 public:
  // Samples of a thread must come in the order of their times.
  void apply(uint32_t thread, UnwoundStack& found);

 private:
  struct Frame {
    UnresolvedFrame unresolved;
    uint64_t stack_pointer = 0;
  };
  // The user's part of a whole stack, leaf first.
  struct Stack {
    uint64_t callers = 0;  // the same for stacks that differ in their leaf only
    std::vector<Frame> frames;
  };
  using Stacks = std::vector<Stack>;  // those seen last come first

  static constexpr size_t kMostThreads = 4096;
  static constexpr size_t kMostStacks = 16;  // of a thread
  static constexpr size_t kMostFrames = 1 << 16;

  // What stands beyond the last two frames of `found` in `whole`; empty when it has not these two.
  static std::span<const Frame> rest_of(const UnwoundStack& found, const Stack& whole);
  static void complete(UnwoundStack& found, const Stacks& known);
  static void remember(const UnwoundStack& found, Stacks& known);

  std::unordered_map<uint32_t, Stacks> whole_;  // by thread
};

}  // namespace wick

// Stacks that are deeper than their copy, completed from what the same thread showed before.
//
// A recursion of 500 calls with large frames does not fit into the 64 KB that the kernel copies, so
// its outer frames are missing. But the thread got there step by step, and the outer frames did not
// change meanwhile: an earlier sample, when the stack was still short enough, shows them. Where the
// last two frames of a stack that was cut stand at the same stack pointers and addresses in the
// last whole stack of the thread, the rest is taken from there, and each frame of it is marked as
// stitched.
//
// This is likely rather than certain: the thread may have returned far and come back another way to
// the very same two places. So it is done for stacks of which half of what was asked for, or more,
// is in use, and only where it is wanted.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "pipeline/batch.h"

namespace wick {

class Stitching {
 public:
  // Samples of a thread must come in the order of their times.
  void apply(uint32_t thread, FoundStack& found);

 private:
  struct Frame {
    RawFrame raw;
    uint64_t stack_pointer = 0;
  };
  using Stack = std::vector<Frame>;  // the user's part, leaf first: stack pointers rise
  static constexpr size_t kMostThreads = 4096;
  static constexpr size_t kMostFrames = 1 << 16;

  static void complete(FoundStack& found, const Stack& whole);
  static void remember(const FoundStack& found, Stack& whole);

  std::unordered_map<uint32_t, Stack> whole_;  // the last one of each thread
};

}  // namespace wick

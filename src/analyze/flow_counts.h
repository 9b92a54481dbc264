// SPDX-License-Identifier: Apache-2.0
// What the branch stacks of a profile add up to.
//
//     edges     every entry of every stack, also the dropped ones
//     blocks    every pair of neighbours that follow each other
//     loops     branches backwards in a function, by their target
//
// Conservation: an entry with both neighbours enters the code at its target, and the newer
// neighbour leaves it. Where the two do not follow each other, something entered that never left:
// entries were lost there.
//
// Bias: a branch that the processor takes with equal probability at each position of the stack is
// as frequent in the newest entry as in the others. Where it is not, samples prefer some code, and
// its counts are too high.
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/branch_stacks.h"

namespace wick {

// Sums of blocks that were executed.
struct BlockCost {
  uint64_t count = 0;
  uint64_t timed = 0;   // executions with a number of cycles
  uint64_t cycles = 0;  // of these
  uint16_t least = UINT16_MAX;
  uint16_t most = 0;
};

struct EdgeCost {
  uint64_t count = 0;  // taken; with those that were dropped
  uint64_t cycles = 0;
  uint64_t mispredicted = 0;
  uint64_t dropped = 0;
  uint64_t not_taken = 0;     // blocks ran over the branch
  uint64_t instructions = 0;  // of the blocks that it left
  uint64_t without_code = 0;  // of these blocks, those whose instructions are unknown
  uint64_t newest = 0;        // as the newest entry of a stack
  uint64_t followed = 0;      // entered a block
  uint64_t entered = 0;       // had both neighbours in its stack
  uint64_t left = 0;          // of these, those that the newer neighbour follows
};

struct Loop {
  PositionId head;
  uint64_t executions = 0;  // of its head
  uint64_t back = 0;        // of these, those that a branch backwards began
  // Iterations for each time that it was entered; not a number if it was never seen to be entered.
  double trips() const;
};

struct FlowCounts {
  explicit FlowCounts(const BranchStacks& stacks);

  std::vector<EdgeCost> edges;             // by FlowEdgeId
  std::vector<BlockCost> blocks;           // by FlowBlockId
  std::vector<Loop> loops;                 // most executions first
  std::vector<uint64_t> cycles_of_stacks;  // only those with cycles
  uint64_t stack_count = 0;
  uint64_t entries = 0;
  uint64_t timed_entries = 0;
  uint64_t saturated = 0;  // entries with the largest number of cycles that fits
  uint64_t pairs = 0;      // executions of blocks
  uint64_t broken = 0;     // neighbours that do not follow each other
  uint64_t dropped = 0;
  uint64_t deepest = 0;  // entries of the largest stack
  bool has_cycles() const { return timed_entries > 0; }

 private:
  void count_passed(const BranchStacks& stacks);
  void find_loops(const BranchStacks& stacks);
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Cycles: paths that return to the branch that they began with, and pass no branch twice.
//
// Each branch of a segment starts a cycle if it comes again in the segment, and no other branch
// comes twice in between. All rotations of a cycle are the same cycle. A cycle covers the branches
// that are in one of its rounds, each once; so coverages of nested loops do not overlap, because the
// outer loop is not a cycle while the inner one repeats.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "analyze/branch_stacks.h"

namespace wick {

struct Cycle {
  std::vector<FlowEdgeId> edges;  // in order; the first is a branch backwards, if there is one
  uint64_t starts = 0;            // rounds, from each of its branches on
  uint64_t cycles = 0;            // of these rounds, if all blocks have them
  uint64_t timed = 0;             // rounds whose blocks all have cycles
  uint64_t covered = 0;           // executions of blocks
  uint64_t covered_cycles = 0;
  // Rounds that the stacks have seen from begin to end.
  double rounds() const { return static_cast<double>(starts) / static_cast<double>(edges.size()); }
};

class CycleFinder {
 public:
  explicit CycleFinder(const BranchStacks& stacks)
      : stacks_(stacks), last_seen_(stacks.edges().size(), kNever) {}

  // A visitor of BranchStacks.
  void entry(const Step&, uint64_t) {}
  void dropped(FlowEdgeId, uint64_t) {}
  void broken(FlowEdgeId, FlowEdgeId, uint64_t) {}
  void segment(std::span<const Step> steps, uint64_t count);
  void stack(uint64_t, uint64_t) {}

  // Those that cover most first: cycles of the processor, or executions if there are none.
  std::vector<Cycle> take(bool by_cycles);
  // Rounds of cycles beyond the number that is counted.
  uint64_t not_counted() const { return not_counted_; }

 private:
  static constexpr uint32_t kNever = UINT32_MAX;
  static constexpr size_t kMostCycles = 1 << 18;
  static constexpr size_t kMostEdges = 1 << 24;  // of all cycles together

  struct Known {
    Cycle cycle;
    uint64_t segment = 0;        // the last one that had it
    uint32_t covered_until = 0;  // in that segment
  };

  void find_rounds(std::span<const Step> steps);
  void add_round(std::span<const Step> steps, uint32_t begin, uint32_t end, uint64_t count);
  void rotate(Cycle& cycle) const;

  const BranchStacks& stacks_;
  std::unordered_map<uint64_t, Known> known_;  // by the hash of its pairs of neighbours
  uint64_t segments_ = 0;
  uint64_t not_counted_ = 0;
  size_t stored_ = 0;                // edges
  std::vector<uint32_t> last_seen_;  // by FlowEdgeId
  std::vector<uint32_t> next_;       // by step: the next step of the same branch
  std::vector<uint64_t> hash_;       // sums up to a step
  std::vector<uint64_t> cycles_;
  std::vector<uint32_t> untimed_;
};

// The cycles of the rounds of one cycle, from its first branch on, and how many there are of each.
class RoundLengths {
 public:
  explicit RoundLengths(const Cycle& cycle) : cycle_(cycle) {}

  void entry(const Step&, uint64_t) {}
  void dropped(FlowEdgeId, uint64_t) {}
  void broken(FlowEdgeId, FlowEdgeId, uint64_t) {}
  void segment(std::span<const Step> steps, uint64_t count);
  void stack(uint64_t, uint64_t) {}

  std::vector<uint64_t> lengths;

 private:
  const Cycle& cycle_;
};

}  // namespace wick

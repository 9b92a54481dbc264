// SPDX-License-Identifier: Apache-2.0
// One walk over all stacks; then blocks are laid over the branches and loop heads inside of them: in
// lists that are sorted by address, each block is two changes of a sum.
#include "analyze/flow_counts.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace wick {
namespace {

constexpr uint16_t kMostCycles = std::numeric_limits<uint16_t>::max();

// Adds to all positions between two others at once: the work does not depend on how many they are.
class PositionSums {
 public:
  PositionSums(const BranchStacks& stacks, std::vector<PositionId> positions)
      : stacks_(stacks), sorted_(std::move(positions)) {
    std::ranges::sort(sorted_, {}, [&](PositionId id) { return key(id); });
    sorted_.erase(std::ranges::unique(sorted_).begin(), sorted_.end());
    changes_.resize(sorted_.size() + 1);
  }

  // To those from `begin` on, up to `end`.
  void add(PositionId begin, PositionId end, bool with_end, uint64_t count) {
    auto of = [&](PositionId id) { return key(id); };
    auto first = std::ranges::lower_bound(sorted_, key(begin), {}, of);
    auto last = with_end ? std::ranges::upper_bound(sorted_, key(end), {}, of)
                         : std::ranges::lower_bound(sorted_, key(end), {}, of);
    changes_[static_cast<size_t>(first - sorted_.begin())] += count;
    changes_[static_cast<size_t>(last - sorted_.begin())] -= count;  // modulo 2^64
  }
  // By position.
  std::vector<uint64_t> sums() const {
    std::vector<uint64_t> sums(stacks_.positions().size());
    uint64_t sum = 0;
    for (size_t i = 0; i < sorted_.size(); ++i) {
      sum += changes_[i];
      sums[sorted_[i].index()] = sum;
    }
    return sums;
  }
  const std::vector<PositionId>& sorted() const { return sorted_; }

 private:
  std::tuple<uint32_t, uint32_t, uint64_t> key(PositionId id) const {
    const Position& position = stacks_.positions()[id];
    return {position.module.value, position.function.value, position.address};
  }

  const BranchStacks& stacks_;
  std::vector<PositionId> sorted_;
  std::vector<uint64_t> changes_;
};

class Counter {
 public:
  Counter(const BranchStacks& stacks, FlowCounts& counts) : stacks_(stacks), counts_(counts) {}

  void entry(const Step& step, uint64_t count) {
    EdgeCost& edge = counts_.edges[step.edge.index()];
    edge.count += count;
    edge.cycles += count * step.cycles;
    edge.mispredicted += step.mispredicted ? count : 0;
    edge.newest += step.entry == 0 ? count : 0;
    counts_.entries += count;
    counts_.timed_entries += step.cycles != 0 ? count : 0;
    counts_.saturated += step.cycles == kMostCycles ? count : 0;
  }
  void dropped(FlowEdgeId edge, uint64_t count) {
    counts_.edges[edge.index()].dropped += count;
    counts_.dropped += count;
  }
  void broken(FlowEdgeId older, FlowEdgeId, uint64_t count) {
    counts_.broken += count;
    broken_.push_back(older);
  }
  void segment(std::span<const Step> steps, uint64_t count) {
    uint64_t cycles = 0;
    for (size_t i = 1; i < steps.size(); ++i) {
      const Step& step = steps[i];
      BlockCost& block = counts_.blocks[step.block.index()];
      block.count += count;
      if (step.cycles != 0) {
        block.timed += count;
        block.cycles += count * step.cycles;
        block.least = std::min(block.least, step.cycles);
        block.most = std::max(block.most, step.cycles);
      }
      cycles += step.cycles;
      EdgeCost& edge = counts_.edges[step.edge.index()];
      uint32_t instructions = stacks_.blocks()[step.block].instructions;
      edge.instructions += count * instructions;
      edge.without_code += instructions == 0 ? count : 0;
      counts_.edges[steps[i - 1].edge.index()].followed += count;
      counts_.pairs += count;
    }
    cycles_ += cycles;
    add_inner(steps, count);
  }
  void stack(uint64_t entries, uint64_t count) {
    counts_.stack_count += count;
    counts_.deepest = std::max(counts_.deepest, entries);
    if (cycles_ > 0) {
      counts_.cycles_of_stacks.push_back(cycles_);
    }
    cycles_ = 0;
    broken_.clear();
    has_older_ = false;
  }

 private:
  // Entries with both neighbours. A segment that follows a broken pair has an older neighbour, and
  // one that a broken pair ends has a newer one.
  void add_inner(std::span<const Step> steps, uint64_t count) {
    bool is_broken_after = !broken_.empty() && broken_.back() == steps.back().edge;
    broken_.clear();
    for (size_t i = 0; i < steps.size(); ++i) {
      bool has_older = i > 0 || has_older_;
      bool is_last = i + 1 == steps.size();
      if (has_older && (!is_last || is_broken_after)) {
        EdgeCost& edge = counts_.edges[steps[i].edge.index()];
        edge.entered += count;
        edge.left += is_last ? 0 : count;
      }
    }
    has_older_ = is_broken_after;
  }

  const BranchStacks& stacks_;
  FlowCounts& counts_;
  uint64_t cycles_ = 0;  // of the current stack
  std::vector<FlowEdgeId> broken_;
  bool has_older_ = false;
};

}  // namespace

double Loop::trips() const {
  return executions > back
             ? static_cast<double>(executions) / static_cast<double>(executions - back)
             : std::numeric_limits<double>::quiet_NaN();
}

FlowCounts::FlowCounts(const BranchStacks& stacks)
    : edges(stacks.edges().size()), blocks(stacks.blocks().size()) {
  Counter counter(stacks, *this);
  stacks.visit(counter);
  count_passed(stacks);
  find_loops(stacks);
}

void FlowCounts::count_passed(const BranchStacks& stacks) {
  std::vector<PositionId> sources;
  for (const FlowEdge& edge : stacks.edges()) {
    sources.push_back(edge.from);
  }
  PositionSums passed(stacks, std::move(sources));
  for (size_t row = 0; row < blocks.size(); ++row) {
    if (blocks[row].count > 0) {
      const FlowBlock& block = stacks.blocks()[FlowBlockId::from_index(row)];
      passed.add(block.begin, block.end, false, blocks[row].count);
    }
  }
  std::vector<uint64_t> sums = passed.sums();
  for (size_t row = 0; row < edges.size(); ++row) {
    edges[row].not_taken = sums[stacks.edges()[FlowEdgeId::from_index(row)].from.index()];
  }
}

void FlowCounts::find_loops(const BranchStacks& stacks) {
  std::vector<PositionId> heads;
  std::vector<uint64_t> back(stacks.positions().size());
  for (size_t row = 0; row < edges.size(); ++row) {
    const FlowEdge& edge = stacks.edges()[FlowEdgeId::from_index(row)];
    if (edges[row].followed > 0 && stacks.is_backward_jump(edge)) {
      heads.push_back(edge.to);
      back[edge.to.index()] += edges[row].followed;
    }
  }
  PositionSums executed(stacks, std::move(heads));
  for (size_t row = 0; row < blocks.size(); ++row) {
    if (blocks[row].count > 0) {
      const FlowBlock& block = stacks.blocks()[FlowBlockId::from_index(row)];
      executed.add(block.begin, block.end, true, blocks[row].count);
    }
  }
  std::vector<uint64_t> sums = executed.sums();
  for (PositionId head : executed.sorted()) {
    loops.push_back({.head = head, .executions = sums[head.index()], .back = back[head.index()]});
  }
  std::ranges::stable_sort(loops, std::ranges::greater(), &Loop::executions);
}

}  // namespace wick

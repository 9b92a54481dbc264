// SPDX-License-Identifier: Apache-2.0
// Branch stacks as paths through code. A processor's branch stack has the last branches that it
// took, newest first:
//
//     entry   0          1          2            ...
//             from to    from to    from to
//                  |      ^   |      ^
//                  (top)  '---'      '---  ...   code ran straight from `to` of an entry to `from`
//                                                of the newer one: a block
//
// BranchStacks numbers the branches (edges) and blocks of a profile by their addresses, and returns
// each stack as segments, oldest branch first. A segment ends where the code between two branches
// cannot have run straight: entries were lost, the processor recorded a branch wrongly, or the
// recording left out kinds of branches.
//
// Some processors record the newest branch twice. Such an entry is dropped, but only if the code
// cannot have run from the branch's target to the branch: a loop of one block repeats rightly.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/id_index.h"
#include "profile/profile.h"

namespace wick {

using PositionId = Id<struct PositionTag>;
using FlowEdgeId = Id<struct FlowEdgeTag>;
using FlowBlockId = Id<struct FlowBlockTag>;

// An address of a module; an offset in a function, if the input has no addresses.
struct Position {
  ModuleId module;
  FunctionId function;  // only for such offsets
  uint64_t address = 0;
  FrameId frame;  // one of its frames
  bool is_known() const { return module.valid() || address != 0; }
};

// A branch that was taken.
struct FlowEdge {
  PositionId from;
  PositionId to;
  BlockExit kind = BlockExit::kUnknown;
};

struct FlowBlock {
  PositionId begin;
  PositionId end;
  uint32_t instructions = 0;  // of one execution; 0 if unknown
  BlockPath path = BlockPath::kUnknown;
};

// A branch of a segment, and the block that it left.
struct Step {
  FlowEdgeId edge;
  FlowBlockId block;  // none for the first step of a segment
  uint16_t cycles = 0;
  bool mispredicted = false;
  uint16_t entry = 0;  // its position in the stack, 0 is the newest
};

class BranchStacks {
 public:
  explicit BranchStacks(const Profile& profile);

  const IdVector<PositionId, Position>& positions() const { return positions_; }
  const IdVector<FlowEdgeId, FlowEdge>& edges() const { return edges_; }
  const IdVector<FlowBlockId, FlowBlock>& blocks() const { return blocks_; }

  // The block from one branch to the next; none if the code cannot have run like that.
  FlowBlockId block(FlowEdgeId older, FlowEdgeId newer) const;
  // Whether a branch can close a loop: a jump backwards inside a function.
  bool is_backward_jump(const FlowEdge& edge) const;

  // Visitor: entry(step, count) for each entry of a stack that has an address, newest first, as
  // recorded; dropped(edge, count) for each repeated one; broken(older, newer, count) for each pair
  // that does not follow each other; segment(steps, count); stack(entries, count) at the end.
  template <typename Visitor>
  void visit(Visitor& visitor) const {
    for (size_t row = 0; row < profile_.samples.size(); ++row) {
      BranchSetId set = profile_.samples.branches[row];
      if (set.valid() && profile_.branch_sets[set].count > 0) {
        visit_stack(profile_.branch_sets[set], profile_.samples.count[row], visitor);
      }
    }
  }

 private:
  // By a pair of ids; the rows are those of a table with such pairs.
  class PairIndex {
   public:
    uint32_t find(uint64_t a, uint64_t b) const {
      return index_.find(hash_mix(a, b),
                         [&](uint32_t row) { return keys_[row] == std::pair(a, b); });
    }
    void add(uint64_t a, uint64_t b) {
      keys_.emplace_back(a, b);
      index_.add(hash_mix(a, b),
                 [&](uint32_t row) { return hash_mix(keys_[row].first, keys_[row].second); });
    }

   private:
    std::vector<std::pair<uint64_t, uint64_t>> keys_;
    IdIndex index_;
  };

  void number_positions();
  void number_edges();
  void number_blocks();
  void set_kinds();
  FlowBlockId add_block(FlowEdgeId older, FlowEdgeId newer);
  bool is_dropped(const BranchSet& set) const;

  FlowEdgeId edge_of(size_t branch) const {
    return edge_of_row_[profile_.branches[branch].edge.index()];
  }

  template <typename Visitor>
  void visit_stack(const BranchSet& set, uint64_t count, Visitor& visitor) const {
    std::vector<Step>& steps = steps_;
    steps.clear();
    bool drops = is_dropped(set);
    size_t end = size_t{set.first} + set.count;
    for (size_t row = end; row-- > set.first;) {  // oldest first
      const Branch& branch = profile_.branches[row];
      FlowEdgeId edge = edge_of(row);
      bool is_known =
          positions_[edges_[edge].from].is_known() || positions_[edges_[edge].to].is_known();
      if (!is_known) {
        finish_segment(steps, count, visitor);
        continue;
      }
      Step step{.edge = edge,
                .block = {},
                .cycles = branch.cycles,
                .mispredicted = (branch.flags & kMispredicted) != 0,
                .entry = static_cast<uint16_t>(row - set.first)};
      visitor.entry(step, count);
      if (drops && row == set.first) {
        visitor.dropped(edge, count);
        continue;
      }
      if (!steps.empty()) {
        step.block = block(steps.back().edge, edge);
        if (!step.block.valid()) {
          visitor.broken(steps.back().edge, edge, count);
          finish_segment(steps, count, visitor);
        }
      }
      steps.push_back(step);
    }
    finish_segment(steps, count, visitor);
    visitor.stack(set.count - (drops ? 1U : 0U), count);
  }
  template <typename Visitor>
  static void finish_segment(std::vector<Step>& steps, uint64_t count, Visitor& visitor) {
    if (!steps.empty()) {
      visitor.segment(std::span<const Step>(steps), count);
      steps.clear();
    }
  }

  const Profile& profile_;
  IdVector<PositionId, Position> positions_;
  std::vector<PositionId> position_of_frame_;
  IdVector<FlowEdgeId, FlowEdge> edges_;
  std::vector<FlowEdgeId> edge_of_row_;  // by EdgeId
  IdVector<FlowBlockId, FlowBlock> blocks_;
  PairIndex block_index_;  // by begin and end
  mutable std::vector<Step> steps_;
};

}  // namespace wick

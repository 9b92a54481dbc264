// SPDX-License-Identifier: Apache-2.0
// Ids of the profile's frames and edges are not enough: two frames of one address differ if only
// one of them has a line, or if they come from different inputs.
#include "analyze/branch_stacks.h"

#include <algorithm>

namespace wick {
namespace {

BlockExit kind_of_type(uint16_t type) {
  constexpr BlockExit kKinds[] = {BlockExit::kUnknown,
                                  BlockExit::kConditionalJump,
                                  BlockExit::kJump,
                                  BlockExit::kIndirectJump,
                                  BlockExit::kCall,
                                  BlockExit::kIndirectCall,
                                  BlockExit::kReturn,
                                  BlockExit::kSystemCall,
                                  BlockExit::kSystemReturn,
                                  BlockExit::kCall,
                                  BlockExit::kReturn,
                                  BlockExit::kInterrupt,
                                  BlockExit::kInterrupt};
  return type < std::size(kKinds) ? kKinds[type] : BlockExit::kUnknown;
}

}  // namespace

BranchStacks::BranchStacks(const Profile& profile) : profile_(profile) {
  number_positions();
  number_edges();
  number_blocks();
  set_kinds();
}

void BranchStacks::number_positions() {
  PairIndex index;
  position_of_frame_.resize(profile_.frames.size());
  std::vector<bool> used(profile_.frames.size());
  for (const BranchEdge& edge : profile_.edges) {
    used[edge.from.index()] = used[edge.to.index()] = true;
  }
  for (size_t row = 0; row < profile_.frames.size(); ++row) {
    if (!used[row]) {
      continue;
    }
    const Frame& frame = profile_.frames[FrameId::from_index(row)];
    bool in_function = frame.module.valid() &&
                       profile_.modules[frame.module].address_kind == AddressKind::kInFunction;
    FunctionId function = in_function ? frame.function : FunctionId();
    uint64_t code = uint64_t{frame.module.value} << 32 | function.value;
    uint32_t known = index.find(code, frame.address);
    if (known == IdIndex::kNone) {
      index.add(code, frame.address);
      known = positions_
                  .push_back({.module = frame.module,
                              .function = function,
                              .address = frame.address,
                              .frame = FrameId::from_index(row)})
                  .value;
    }
    position_of_frame_[row] = PositionId(known);
  }
}

void BranchStacks::number_edges() {
  PairIndex index;
  for (const BranchEdge& edge : profile_.edges) {
    PositionId from = position_of_frame_[edge.from.index()];
    PositionId to = position_of_frame_[edge.to.index()];
    uint32_t known = index.find(from.value, to.value);
    if (known == IdIndex::kNone) {
      index.add(from.value, to.value);
      known = edges_.push_back({.from = from, .to = to}).value;
    }
    edge_of_row_.push_back(FlowEdgeId(known));
  }
}

void BranchStacks::number_blocks() {
  for (const CodeBlock& block : profile_.code_blocks) {
    PositionId begin = position_of_frame_[block.begin.index()];
    PositionId end = position_of_frame_[block.end.index()];
    if (!begin.valid() || !end.valid()) {
      continue;
    }
    uint32_t known = block_index_.find(begin.value, end.value);
    if (known == IdIndex::kNone) {
      block_index_.add(begin.value, end.value);
      known = blocks_.push_back({.begin = begin, .end = end}).value;
    }
    FlowBlock& row = blocks_[FlowBlockId(known)];
    if (row.path == BlockPath::kUnknown) {
      row.instructions = block.instructions;
      row.path = block.path;
    }
  }
  for (const BranchSet& set : profile_.branch_sets) {
    for (size_t row = set.first; row + 1 < size_t{set.first} + set.count; ++row) {
      add_block(edge_of(row + 1), edge_of(row));
    }
  }
}

FlowBlockId BranchStacks::add_block(FlowEdgeId older, FlowEdgeId newer) {
  PositionId begin = edges_[older].to;
  PositionId end = edges_[newer].from;
  uint32_t known = block_index_.find(begin.value, end.value);
  if (known == IdIndex::kNone) {
    block_index_.add(begin.value, end.value);
    known = blocks_.push_back({.begin = begin, .end = end}).value;
  }
  FlowBlock& block = blocks_[FlowBlockId(known)];
  const Position& first = positions_[begin];
  const Position& last = positions_[end];
  bool is_possible = first.is_known() && last.is_known() && first.module == last.module &&
                     first.function == last.function && first.address <= last.address;
  if (!is_possible) {
    block.path = BlockPath::kImpossible;
  }
  return FlowBlockId(known);
}

// The kind of a branch is what its instruction is, else what the processor says.
void BranchStacks::set_kinds() {
  std::vector<BlockExit> exits(positions_.size(), BlockExit::kUnknown);
  for (const CodeBlock& block : profile_.code_blocks) {
    if (block.exit != BlockExit::kUnknown) {
      PositionId end = position_of_frame_[block.end.index()];
      if (end.valid()) {
        exits[end.index()] = block.exit;
      }
    }
  }
  for (const Branch& branch : profile_.branches) {
    FlowEdge& edge = edges_[edge_of_row_[branch.edge.index()]];
    if (edge.kind == BlockExit::kUnknown) {
      BlockExit exit = exits[edge.from.index()];
      edge.kind = exit != BlockExit::kUnknown ? exit : kind_of_type(kBranchType.get(branch.flags));
    }
  }
}

bool BranchStacks::is_backward_jump(const FlowEdge& edge) const {
  constexpr uint64_t kFarthest = 1 << 16;  // if functions are not known
  const Position& from = positions_[edge.from];
  const Position& to = positions_[edge.to];
  FunctionId function = profile_.frames[from.frame].function;
  bool is_inside = function.valid() ? function == profile_.frames[to.frame].function
                                    : from.address - to.address < kFarthest;
  bool is_jump = edge.kind == BlockExit::kConditionalJump || edge.kind == BlockExit::kJump ||
                 edge.kind == BlockExit::kIndirectJump || edge.kind == BlockExit::kUnknown;
  return is_jump && is_inside && from.module == to.module && from.function == to.function &&
         to.address <= from.address;
}

bool BranchStacks::is_dropped(const BranchSet& set) const {
  return set.count >= 2 && edge_of(set.first) == edge_of(set.first + 1) &&
         !block(edge_of(set.first), edge_of(set.first)).valid();
}

FlowBlockId BranchStacks::block(FlowEdgeId older, FlowEdgeId newer) const {
  FlowBlockId id(block_index_.find(edges_[older].to.value, edges_[newer].from.value));
  return id.valid() && blocks_[id].path != BlockPath::kImpossible ? id : FlowBlockId();
}

}  // namespace wick

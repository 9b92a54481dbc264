// SPDX-License-Identifier: Apache-2.0
#include "analyze/annotate/branch_columns.h"

#include <algorithm>
#include <utility>

#include "analyze/flow_counts.h"
#include "base/statistics.h"

namespace wick {

BranchColumns::BranchColumns(const Profile& profile, ModuleId module, uint64_t begin, uint64_t end)
    : at_(begun_.end()) {
  if (profile.branch_sets.empty()) {
    return;
  }
  has_stacks_ = true;
  BranchStacks stacks(profile);
  FlowCounts counts(stacks);
  auto is_inside = [&](const Position& position) {
    return position.module == module && position.address >= begin && position.address < end;
  };
  for (size_t row = 0; row < counts.edges.size(); ++row) {
    const FlowEdge& edge = stacks.edges()[FlowEdgeId::from_index(row)];
    const Position& from = stacks.positions()[edge.from];
    const EdgeCost& cost = counts.edges[row];
    if (cost.count > 0 && is_inside(from)) {
      Branch& branch = branches_[from.address];
      branch.taken += cost.count - cost.dropped;
      branch.not_taken = cost.not_taken;
      branch.mispredicted += cost.mispredicted;
    }
  }
  for (size_t row = 0; row < counts.blocks.size(); ++row) {
    const FlowBlock& block = stacks.blocks()[FlowBlockId::from_index(row)];
    const Position& first = stacks.positions()[block.begin];
    const Position& last = stacks.positions()[block.end];
    const BlockCost& cost = counts.blocks[row];
    if (cost.count == 0 || first.module != module || first.address >= end || last.address < begin) {
      continue;
    }
    begun_[std::max(first.address, begin)] += cost.count;
    ended_[last.address] += cost.count;
    ends_[last.address].timed += cost.timed;
    ends_[last.address].cycles += cost.cycles;
  }
  at_ = begun_.begin();
}

void BranchColumns::add(uint64_t address, uint64_t length) {
  if (!has_stacks_) {
    return;
  }
  for (; length != 0 && at_ != begun_.end() && at_->first <= address; ++at_) {
    running_ += at_->second;
  }
  auto branch = branches_.find(address);
  auto end = ends_.find(address);
  bool is_branch = length != 0 && branch != branches_.end();
  bool is_timed = length != 0 && end != ends_.end() && end->second.timed > 0;
  auto count = [](bool is_known, uint64_t value) {
    return is_known ? static_cast<double>(value) : kNoNumber;
  };
  executions_.numbers.push_back(count(length != 0, running_));
  taken_.numbers.push_back(is_branch ? count(true, branch->second.taken) : kNoNumber);
  not_taken_.numbers.push_back(is_branch ? count(true, branch->second.not_taken) : kNoNumber);
  mispredicted_.numbers.push_back(is_branch ? count(true, branch->second.mispredicted) : kNoNumber);
  cycles_.numbers.push_back(is_timed ? static_cast<double>(end->second.cycles) /
                                           static_cast<double>(end->second.timed)
                                     : kNoNumber);
  if (auto ended = ended_.find(address); length != 0 && ended != ended_.end()) {
    running_ -= ended->second;
  }
}

void BranchColumns::append_to(Table& table) && {
  if (!has_stacks_) {
    return;
  }
  for (ReportColumn* column : {&executions_, &taken_, &not_taken_, &mispredicted_, &cycles_}) {
    column->importance = Importance::kUseful;
    table.columns.push_back(std::move(*column));
  }
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Chooses the entries of the summary (hot.h), on a call tree reduced to important functions. Each
// sample belongs to at most one entry.
#pragma once

#include <vector>

#include "analyze/call_tree.h"
#include "analyze/group_costs.h"

namespace wick {

struct HotEntry {
  GroupId group;
  bool itself = false;  // only its own code; else also its callees that no other entry has
  Cost cost;
};

// The entries, and the entry of each sample.
struct HotSummary {
  std::vector<HotEntry> entries;         // heaviest first
  std::vector<uint32_t> entry_of_stack;  // by stack; kNoEntry if it belongs to none
  static constexpr uint32_t kNoEntry = UINT32_MAX;
};

struct HotGoal {
  double cover = 0.8;
  size_t most = 12;
};

HotSummary find_hot_functions(const Profile& profile,
                              const FrameGroups& groups,
                              const StackCosts& costs,
                              const GroupCosts& sums,
                              const HotGoal& goal);

}  // namespace wick

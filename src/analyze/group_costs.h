// SPDX-License-Identifier: Apache-2.0
// The cost of each group of frames: self, and total with its callees. Selfs add up to the whole,
// and recursion counts once, so no total exceeds the whole.
#pragma once

#include <vector>

#include "analyze/groups.h"
#include "profile/stack_costs.h"

namespace wick {

struct GroupCosts {
  std::vector<Cost> self;   // by group: samples in which it is the leaf
  std::vector<Cost> total;  // by group: samples in which it is anywhere, recursion counted once
};

GroupCosts group_costs(const Profile& profile, const StackCosts& costs, const FrameGroups& groups);

}  // namespace wick

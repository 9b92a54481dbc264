// SPDX-License-Identifier: Apache-2.0
// The call tree: from the root down (the callees of a function and their cost), or from the leaves
// up (the callers of the functions that spend the time). Below a parent, its self and its rows add
// up to its total.
#pragma once

#include "analyze/analyses.h"
#include "analyze/groups.h"
#include "analyze/summary.h"

namespace wick {

struct TreeOptions {
  bool bottom_up = false;
  size_t max_depth = 0;      // 0 for no limit
  double min_share = 0.005;  // smaller branches are folded into one row
  GroupBy by = GroupBy::kFunction;
  Evidence evidence = Evidence::kSamples;
};

Report call_tree(const Profile& profile, const TreeOptions& options);

std::span<const Flag> tree_flags();
Result<Report> run_tree(const Profile& profile, std::string_view argument, const FlagValues& flags);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// The flame graph: the whole call tree, siblings in drawing order from left to right.
//
//     name     by name, so that two graphs of one program look similar (the default)
//     weight   the heaviest first ("left heavy")
//     input    as sampled, merging only neighbours: a flame chart
//     lines    as flamegraph.pl orders folded lines, merging only neighbours: its exact picture
//
// Row 0 is "all". A before/after pair (differential folded text) has the widths of its after side.
// The column `delta` has the growth of each call path's own cost.
#pragma once

#include "analyze/analyses.h"
#include "analyze/groups.h"
#include "analyze/summary.h"

namespace wick {

enum class FlameOrder { kName, kWeight, kInput, kLines };

struct FlameOptions {
  FlameOrder order = FlameOrder::kName;
  bool reverse = false;  // leaf first: merge the stacks from their leaves
  GroupBy by = GroupBy::kFunction;
  Evidence evidence = Evidence::kSamples;
};

Result<Report> flame(const Profile& profile, const FlameOptions& options);

std::span<const Flag> flame_flags();
Result<Report> run_flame(const Profile& profile,
                         std::string_view argument,
                         const FlagValues& flags);

}  // namespace wick

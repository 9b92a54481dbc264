// SPDX-License-Identifier: Apache-2.0
// The results of `wick diff` for the two runs of a page: functions by self and total, as shares and
// as the cost of a run. The page shows these results as long as its user filters nothing, so page
// and terminal agree.
#pragma once

#include <vector>

#include "viewer/page_data.h"

namespace wick {

// Reports for each event that both runs have. Empty for one run, or if there is nothing to compare.
std::vector<PageReport> compared_runs(const std::vector<PageRun>& runs);

}  // namespace wick

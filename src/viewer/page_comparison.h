// SPDX-License-Identifier: Apache-2.0
// What `wick diff` says about the two runs of a page, to travel with it: functions by self and
// total, as shares and as the cost of a run.
#pragma once

#include <vector>

#include "viewer/page_data.h"

namespace wick {

// For each event that both runs have; nothing for one run, or where there is nothing to compare.
std::vector<PageReport> compared_runs(const std::vector<PageRun>& runs);

}  // namespace wick

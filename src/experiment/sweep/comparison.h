// SPDX-License-Identifier: Apache-2.0
// Significant differences: of the points of one sweep from its best and worst, and of two sweeps
// point by point. Both use the rule of `wick diff` for several runs (experiment/run_change.h),
// corrected for all comparisons made (Holm).
#pragma once

#include "experiment/sweep/findings.h"
#include "report/report.h"

namespace wick {

// For each metric, marks the best point and all points that cannot be distinguished from it, and
// the worst likewise. A point that is both gets no mark. So there are no marks if no difference is
// significant.
void mark_extremes(Sweep& sweep);

// Before and after, point by point and metric by metric, for axis values that both have. Notes say
// how many points only one side has. An error if the two have no point in common.
Result<Report> compare_sweeps(const Sweep& before, const Sweep& after);

}  // namespace wick

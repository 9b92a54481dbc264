// What can be told apart: points of one sweep from its best and worst, and two sweeps point by
// point. One rule for both, that of `wick diff` for several runs (experiment/run_change.h),
// corrected for all comparisons made (Holm).
#pragma once

#include "experiment/sweep/findings.h"
#include "report/report.h"

namespace wick {

// Marks, for each metric, the best point and all that are not told from it, and the worst likewise.
// A point that is both has no mark, so that there are none where nothing can be told apart.
void mark_extremes(Sweep& sweep);

// Before and after, point by point and metric by metric, on the axes' values that both have; notes
// tell how many points only one has. Fails when they have nothing in common.
Result<Report> compare_sweeps(const Sweep& before, const Sweep& after);

}  // namespace wick

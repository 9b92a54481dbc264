// From the runs of a sweep to what they say: a number with its interval for each metric at each
// point (findings.h), the table of it, and the comparison of two sweeps.
#pragma once

#include <string>
#include <vector>

#include "experiment/sweep/findings.h"
#include "experiment/sweep/results.h"
#include "report/report.h"

namespace wick {

// Points, numbers and machine; profiles have their paths, not yet their costs.
Sweep summarise_sweep(const SweepResults& results);

// One row a point: axes, metrics with intervals, best and worst, what failed. A second section
// tells how throughput scales, where find_scaling() found a line to fit.
Report sweep_report(const Sweep& sweep);

// Before and after, point by point and metric by metric, on the axes' values that both have; with
// the statistics of `wick diff` for several runs, corrected for all rows. Fails when they have
// nothing in common.
Result<Report> compare_sweeps(const Sweep& before, const Sweep& after);

}  // namespace wick

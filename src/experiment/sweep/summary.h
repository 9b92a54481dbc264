// From the runs of a sweep to what they say: a number with its interval for each metric at each
// point (findings.h), and the table of it.
#pragma once

#include <string>
#include <vector>

#include "experiment/sweep/findings.h"
#include "experiment/sweep/results.h"
#include "report/report.h"

namespace wick {

// Points, numbers with marks, and machine; profiles have their paths, not yet their costs.
Sweep summarise_sweep(const SweepResults& results);

// One row a point: axes, metrics with intervals, best and worst, what failed. A second section
// tells how throughput scales, where find_scaling() found a line to fit.
Report sweep_report(const Sweep& sweep);

}  // namespace wick

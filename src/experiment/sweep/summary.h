// From the runs of a sweep to its results: a number with its interval for each metric at each point
// (findings.h), and the table of them.
#pragma once

#include <string>
#include <vector>

#include "experiment/sweep/findings.h"
#include "experiment/sweep/results.h"
#include "report/report.h"

namespace wick {

// Points, numbers with marks, and the machine. Profiles have their paths, but not yet their costs.
Sweep summarise_sweep(const SweepResults& results);

// One row per point: axes, metrics with intervals, best and worst, failures. A second section shows
// how throughput scales, if find_scaling() found a line to fit.
Report sweep_report(const Sweep& sweep);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
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

// The areas that a plan names.
Result<std::vector<Area>> areas_of(const Plan& plan);

// The same with the costs in the profiles below `directory`, and how metrics scale. A profile that
// cannot be read is left out with a note.
Result<Sweep> findings_of(const SweepResults& results,
                          const std::string& directory,
                          const std::vector<Area>& areas);

// One row per point: axes, metrics with intervals, best and worst, failures. A second section shows
// how throughput scales, if find_scaling() found a line to fit.
Report sweep_report(const Sweep& sweep);
// Adds the sections that only programs read: the value of every run, and the areas of every
// profile.
void add_details(const Sweep& sweep, Report& report);

}  // namespace wick

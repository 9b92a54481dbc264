// Runs of a sweep that are recorded: the whole run, servers and clients, is one process tree below
// a hidden verb of wick (`wick sweep-point`), so that the recorder sees all of it on one clock.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "experiment/sweep/sweep.h"

namespace wick {

// Records a run of the plan that lies in `results`, and writes the page of its profile beside it.
RecordedOutcome record_sweep_run(const Plan& plan,
                                 const std::string& results,
                                 const Point& point,
                                 const RunSetting& setting,
                                 const std::string& profile);

// `wick sweep-point RESULTS POINT ...`: one run; its line of JSON goes to stdout.
Command sweep_point_command();

}  // namespace wick

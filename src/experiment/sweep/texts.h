// SPDX-License-Identifier: Apache-2.0
// A sweep in words: the runs of a dry run, the progress, and what to do after the end.
#pragma once

#include <string>

#include "experiment/sweep/sweep.h"

namespace wick {

// One line for each run that is left, and their total time; escaped for a terminal.
Result<std::string> dry_run_text(const Plan& plan, const std::string& directory, bool retry);

// "3 of 12 runs, 2 min left; ..."
std::string progress_text(const SweepProgress& progress);

// What to do next; empty if all runs were made and none failed. `path` is that of the plan.
std::string end_text(const SweepEnd& end, const RunLog& log, const std::string& path);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Checks before the first run that the machine has what the plan needs, its programs and its CPUs,
// and reports what makes the times of runs differ.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "experiment/plan/plan.h"
#include "experiment/sweep/results.h"

namespace wick {

// An error begins with "path:line: ", like those of read_plan().
Result<> check_against_machine(const Plan& plan);
// How many processes the largest point runs at the same time. If an axis is named after threads,
// the number of threads.
size_t most_at_once(const Plan& plan);

// Reports what about this machine makes times differ, and stores it with the results. An Error
// where the runs so far were made on another machine, unless `may_differ`: their times do not
// compare.
Result<> examine_machine(const Plan& plan,
                         const RunLog& log,
                         bool may_differ,
                         const std::function<void(const std::string& sentence)>& print);

}  // namespace wick

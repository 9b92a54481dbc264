// SPDX-License-Identifier: Apache-2.0
// Checks before the first run that the machine has the programs and CPUs that the plan needs, and
// reports conditions that make the times of runs differ.
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

// Reports the conditions of this machine that make times differ, and stores them with the results.
// An Error if the runs so far were made on another machine, unless `may_differ`: their times cannot
// be compared.
Result<> examine_machine(const Plan& plan,
                         const RunLog& log,
                         bool may_differ,
                         const std::function<void(const std::string& sentence)>& print);

}  // namespace wick

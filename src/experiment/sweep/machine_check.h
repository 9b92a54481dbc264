// Checks before the first run that the machine has what the plan needs: its programs and its CPUs.
#pragma once

#include <cstddef>

#include "experiment/plan/plan.h"

namespace wick {

// An error begins with "path:line: ", like those of read_plan().
Result<> check_against_machine(const Plan& plan);
// How many processes the largest point runs at the same time. If an axis is named after threads,
// the number of threads.
size_t most_at_once(const Plan& plan);

}  // namespace wick

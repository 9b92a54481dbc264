// What a plan needs of this machine, looked at before the first run: programs that are there, CPUs
// that are online.
#pragma once

#include <cstddef>

#include "experiment/plan/plan.h"

namespace wick {

// An Error begins with "path:line: ", as those of read_plan().
Result<> check_against_machine(const Plan& plan);
// How many processes its largest point runs at the same time, or threads as far as an axis that is
// called so tells.
size_t most_at_once(const Plan& plan);

}  // namespace wick

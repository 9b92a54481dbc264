// SPDX-License-Identifier: Apache-2.0
// Checks what a recorder is allowed to do on this machine: what works, what does not, and the
// command that would change it. Each check tries the operation instead of deducing the result, if
// trying is cheap.
#pragma once

#include <vector>

#include "record/machine_facts.h"

namespace wick::record {

std::vector<Finding> examine_machine();

}  // namespace wick::record

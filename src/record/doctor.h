// SPDX-License-Identifier: Apache-2.0
// Checks the permissions of a recorder on this machine: each operation that works or fails, and the
// command that would change it. Each check tries the operation instead of deducing the result, if
// trying is cheap.
#pragma once

#include <vector>

#include "record/machine_facts.h"

namespace wick::record {

std::vector<Finding> examine_machine();

}  // namespace wick::record

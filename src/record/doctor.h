// What this machine allows a recorder, as findings: what works now, what does not, and the command
// that would change it. Everything is tried rather than deduced where a try is cheap.
#pragma once

#include <vector>

#include "record/machine_facts.h"

namespace wick::record {

std::vector<Finding> examine_machine();

}  // namespace wick::record

// SPDX-License-Identifier: Apache-2.0
// The interpreters in a running process, and how a recording would read their functions: the answer
// to "will my Python functions be in the profile?", before recording.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "record/machine_facts.h"

namespace wick::capture {

// One finding for each interpreter; none if the process has none. An error if its mappings cannot
// be read.
Result<std::vector<record::Finding>> examine_runtimes(int32_t pid);

}  // namespace wick::capture

// SPDX-License-Identifier: Apache-2.0
// Names that two runs of one program share, for comparisons.
//
// Files of generated code contain the id of the process that wrote them, and generated code without
// a name is known by an address only. Both differ from run to run, so each run would have modules
// and functions of its own:
//
//     /tmp/perf-27768.map                       /tmp/perf-PID.map
//     ~/.debug/jit/java.Xa1/jitted-27768-4.so   jitted-PID-N.so, all of them
//     /dev/shm/cache-27768                      /dev/shm/cache-PID, if 27768 is one of the processes
//     perf-27768.map+0x7f0612345678             perf-PID.map [no name]
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "profile/profile.h"

namespace wick {

// The path without ids of processes. `pids` are the ids of the profile's processes.
std::string common_module_path(std::string_view path, const std::set<int64_t>& pids);

// Only for a profile that wick compares and then discards.
void use_common_names(Profile& profile);

}  // namespace wick

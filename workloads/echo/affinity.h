// SPDX-License-Identifier: Apache-2.0
// Which CPUs the tasks may run on: "one" (the first that this process may use), "any" (no change),
// or a list such as 0,2-3.
//
// The kernel silently drops CPUs that do not exist from a set, so the program reads the set back.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measurement.h"

namespace echo {

// The CPUs of a list, in its order; none if the text is not a list.
std::optional<std::vector<int>> parse_cpu_list(std::string_view text);

// The CPUs for `cpus` on this machine; empty for "any".
struct CpuChoice {
  std::vector<int> cpus;
  Problem problem;
};
CpuChoice choose_cpus(const std::string& cpus);

// Restricts the calling thread, and the threads it will start, to these CPUs. Empty changes
// nothing.
Problem stay_on(const std::vector<int>& cpus);

}  // namespace echo

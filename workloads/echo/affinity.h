// Which CPUs the tasks may run on: "one" (the first that this process may use), "any" (as it was
// started), or a list such as 0,2-3.
//
// The kernel quietly drops CPUs that do not exist from a set, so what was set is read back.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measurement.h"

namespace echo {

// The CPUs of a list, in its order; nothing when it is no list.
std::optional<std::vector<int>> parse_cpu_list(std::string_view text);

// The CPUs that `cpus` means on this machine; empty for "any".
struct CpuChoice {
  std::vector<int> cpus;
  Problem problem;
};
CpuChoice choose_cpus(const std::string& cpus);

// Keeps the calling thread, and the threads it will start, on these CPUs. Empty changes nothing.
Problem stay_on(const std::vector<int>& cpus);

}  // namespace echo

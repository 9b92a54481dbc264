// SPDX-License-Identifier: Apache-2.0
#include "affinity.h"

#include <cerrno>
#include <charconv>
#include <cstring>

#include <sched.h>

namespace echo {

namespace {

// Removes a CPU number from the front of the text.
std::optional<int> take_cpu(std::string_view& text) {
  int cpu = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cpu);
  if (error != std::errc() || cpu < 0 || cpu >= CPU_SETSIZE) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return cpu;
}

}  // namespace

std::optional<std::vector<int>> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  while (true) {
    std::optional<int> first = take_cpu(text);
    std::optional<int> last = first;
    if (first && text.starts_with('-')) {
      text.remove_prefix(1);
      last = take_cpu(text);
    }
    if (!first || !last || *last < *first) {
      return std::nullopt;
    }
    for (int cpu = *first; cpu <= *last; ++cpu) {
      cpus.push_back(cpu);
    }
    if (text.empty()) {
      return cpus;
    }
    if (!text.starts_with(',')) {
      return std::nullopt;
    }
    text.remove_prefix(1);
  }
}

CpuChoice choose_cpus(const std::string& cpus) {
  if (cpus == "any") {
    return {};
  }
  if (cpus != "one") {
    return {parse_cpu_list(cpus).value_or(std::vector<int>{}), {}};
  }
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
    return {{},
            std::string("The CPUs of this process could not be asked for (") +
                std::strerror(errno) + "); give them with --cpus, or use --cpus any."};
  }
  int cpu = 0;
  while (!CPU_ISSET(cpu, &allowed)) {
    ++cpu;
  }
  return {{cpu}, {}};
}

Problem stay_on(const std::vector<int>& cpus) {
  if (cpus.empty()) {
    return {};
  }
  cpu_set_t wanted;
  CPU_ZERO(&wanted);
  for (int cpu : cpus) {
    CPU_SET(cpu, &wanted);
  }
  bool done = sched_setaffinity(0, sizeof wanted, &wanted) == 0;
  if (!done && errno != EINVAL) {
    return std::string("The CPUs to run on could not be set (") + std::strerror(errno) +
           "); --cpus any runs without.";
  }
  cpu_set_t given;
  CPU_ZERO(&given);
  if (done) {
    sched_getaffinity(0, sizeof given, &given);
  }
  for (int cpu : cpus) {
    if (!CPU_ISSET(cpu, &given)) {
      return "CPU " + std::to_string(done ? cpu : cpus.front()) +
             " does not exist or may not be used here; give others with --cpus.";
    }
  }
  return {};
}

}  // namespace echo

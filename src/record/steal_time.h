// SPDX-License-Identifier: Apache-2.0
// Steal time: on a virtual machine, the time for which a virtual CPU wanted to run while its host
// ran something else. To the program it looks like waiting, or like a slower CPU; nothing else in
// the guest shows it. The kernel counts it by CPU in /proc/stat, in ticks of 10 ms.
//
// The numbers are of CPUs, not of a program: a span has the time stolen from the CPUs on which the
// program was allowed to run, from all of them together.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace wick::record {

// The steal time so far of these CPUs together, or of all if there are none, in ticks; nothing if
// the text has no such column.
std::optional<uint64_t> parse_stolen_ticks(std::string_view proc_stat, std::span<const int> cpus);

// The steal time from start() on.
class StealTime {
 public:
  explicit StealTime(std::vector<int> cpus = {}) : cpus_(std::move(cpus)) {}

  void start();
  // Nothing if it was not started, or if the kernel does not count it.
  std::optional<double> seconds() const;

 private:
  std::vector<int> cpus_;
  std::optional<uint64_t> ticks_;
};

}  // namespace wick::record

// SPDX-License-Identifier: Apache-2.0
#include "record/steal_time.h"

#include <algorithm>

#include <unistd.h>

#include "base/lines.h"
#include "base/parse_number.h"
#include "base/small_file.h"

namespace wick::record {
namespace {

// "cpu0 user nice system idle iowait irq softirq steal ...": its steal time.
std::optional<uint64_t> stolen_in(std::string_view line) {
  constexpr int kWordsBefore = 8;  // with the name
  for (int word = 0; word < kWordsBefore; ++word) {
    line = trimmed(line.substr(std::min(line.find(' '), line.size())));
  }
  return parse_number<uint64_t>(line.substr(0, line.find(' ')));
}

bool is_wanted(std::string_view name, std::span<const int> cpus) {
  if (cpus.empty()) {
    return name == "cpu";
  }
  std::optional<int> number =
      name.starts_with("cpu") ? parse_number<int>(name.substr(3)) : std::nullopt;
  return number && std::ranges::find(cpus, *number) != cpus.end();
}

std::optional<uint64_t> stolen_now(std::span<const int> cpus) {
  return parse_stolen_ticks(read_text("/proc/stat"), cpus);
}

}  // namespace

std::optional<uint64_t> parse_stolen_ticks(std::string_view proc_stat, std::span<const int> cpus) {
  std::optional<uint64_t> sum;
  for_each_line(proc_stat, [&](std::string_view line) {
    if (is_wanted(line.substr(0, line.find(' ')), cpus)) {
      if (std::optional<uint64_t> ticks = stolen_in(line)) {
        sum = sum.value_or(0) + *ticks;
      }
    }
  });
  return sum;
}

void StealTime::start() {
  ticks_ = stolen_now(cpus_);
}

std::optional<double> StealTime::seconds() const {
  std::optional<uint64_t> now = ticks_ ? stolen_now(cpus_) : std::nullopt;
  if (!now) {
    return {};
  }
  // The kernel's counts may step back when a virtual machine moves to another host.
  uint64_t more = *now > *ticks_ ? *now - *ticks_ : 0;
  return static_cast<double>(more) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace wick::record

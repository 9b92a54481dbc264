// SPDX-License-Identifier: Apache-2.0
#include "record/cpu_frequency.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/escape.h"
#include "record/machine.h"

namespace wick::record {
namespace {

constexpr double kHeldWithin = 1.02;  // highest over lowest; the kernel's readings vary this much
constexpr double kKhzPerGhz = 1e6;

std::string cpufreq(const std::string& root, int cpu, std::string_view name) {
  return fmt::format("{}/sys/devices/system/cpu/cpu{}/cpufreq/{}", root, cpu, name);
}

// Intel's drivers write it themselves; AMD's firmware reports it in MHz.
std::optional<int64_t> base_khz(const std::string& root, int cpu) {
  if (std::optional<int64_t> base = read_number(cpufreq(root, cpu, "base_frequency"))) {
    return base;
  }
  std::optional<int64_t> nominal =
      read_number(fmt::format("{}/sys/devices/system/cpu/cpu{}/acpi_cppc/nominal_freq", root, cpu));
  return nominal && *nominal > 0 ? std::optional(*nominal * 1000) : std::nullopt;
}

std::optional<bool> turbo_is_on(const std::string& root) {
  std::string cpu = root + "/sys/devices/system/cpu/";
  if (std::optional<std::string> off = read_line(cpu + "intel_pstate/no_turbo")) {
    return *off == "0";
  }
  std::optional<std::string> on = read_line(cpu + "cpufreq/boost");
  return on ? std::optional(*on == "1") : std::nullopt;
}

}  // namespace

bool FrequencySetting::processor_chooses() const {
  return driver.starts_with("intel_pstate") || driver.starts_with("amd-pstate") ||
         driver.starts_with("amd_pstate");
}

bool FrequencySetting::is_held() const {
  bool no_turbo = turbo == false || (base && highest && *highest <= *base);
  bool fixed = lowest && highest && *lowest == *highest;
  // Without knowledge of turbo, an older driver is believed.
  bool fastest = governor == "performance" && !processor_chooses();
  return (fixed && (no_turbo || !processor_chooses())) || fastest ||
         (governor == "performance" && no_turbo);
}

std::string FrequencySetting::limits_text() const {
  if (!lowest || !highest) {
    return {};
  }
  double low = static_cast<double>(*lowest) / kKhzPerGhz;
  double high = static_cast<double>(*highest) / kKhzPerGhz;
  return *lowest == *highest ? fmt::format("{:.2f} GHz", low)
                             : fmt::format("{:.2f} to {:.2f} GHz", low, high);
}

std::string FrequencySetting::remedy() const {
  if (!processor_chooses()) {
    return "sudo cpupower frequency-set -g performance";
  }
  std::string_view disable =
      driver.starts_with("intel") ? "intel_pstate=disable" : "amd_pstate=disable";
  constexpr std::string_view kPolicies = "/sys/devices/system/cpu/cpufreq/policy*/";
  std::string limits =
      base ? fmt::format("echo {} | sudo tee {}scaling_max_freq {}scaling_min_freq",
                         *base,
                         kPolicies,
                         kPolicies)
           : fmt::format("write the base frequency to {}scaling_max_freq and scaling_min_freq",
                         kPolicies);
  return fmt::format(
      "{} (minimum = maximum = base frequency), or {} on the kernel command line", limits, disable);
}

FrequencySetting frequency_setting(const std::string& root, std::span<const int> cpus) {
  FrequencySetting setting{.turbo = turbo_is_on(root)};
  for (int cpu : cpus) {
    std::optional<std::string> governor = read_line(cpufreq(root, cpu, "scaling_governor"));
    if (!governor) {
      continue;
    }
    // If the CPUs differ, the one that does not hold its frequency counts.
    if (setting.governor.empty() || *governor != "performance") {
      setting.governor = *governor;
    }
    setting.driver = read_line(cpufreq(root, cpu, "scaling_driver")).value_or(setting.driver);
    if (std::optional<int64_t> least = read_number(cpufreq(root, cpu, "scaling_min_freq"))) {
      setting.lowest = std::min(setting.lowest.value_or(*least), *least);
    }
    if (std::optional<int64_t> most = read_number(cpufreq(root, cpu, "scaling_max_freq"))) {
      setting.highest = std::max(setting.highest.value_or(*most), *most);
    }
    if (std::optional<int64_t> base = base_khz(root, cpu)) {
      setting.base = std::min(setting.base.value_or(*base), *base);  // of the smallest core
    }
  }
  return setting;
}

std::optional<double> current_mhz(const std::string& root, std::span<const int> cpus) {
  std::optional<double> fastest;
  for (int cpu : cpus) {
    std::optional<int64_t> khz = read_number(cpufreq(root, cpu, "scaling_cur_freq"));
    if (khz && *khz > 0) {
      fastest = std::max(fastest.value_or(0), static_cast<double>(*khz) / 1000);
    }
  }
  return fastest;
}

std::string frequency_text(const std::vector<double>& mhz) {
  if (mhz.empty()) {
    return {};
  }
  auto [least, most] = std::ranges::minmax(mhz);
  std::string_view runs = mhz.size() == 1 ? "the run" : "each run";
  if (most <= kHeldWithin * least) {
    return fmt::format(
        "The clock frequency held: {:.2f} GHz after {} (the fastest CPU).", most / 1000, runs);
  }
  return fmt::format(
      "The clock frequency did not hold: {:.2f} to {:.2f} GHz after {} (the fastest CPU), so times "
      "differ by up to {:.0f} % for the same work; `wick doctor` says how to hold it.",
      least / 1000,
      most / 1000,
      runs,
      100 * (most / least - 1));
}

}  // namespace wick::record

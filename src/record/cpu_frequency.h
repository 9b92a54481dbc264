// SPDX-License-Identifier: Apache-2.0
// The clock frequency of the CPUs: how the kernel sets it, how to hold it, and whether it held.
//
// A governor alone does not hold it under intel_pstate and amd_pstate: there the processor chooses
// within the limits of the kernel, and turbo goes beyond the base frequency. It holds if minimum and
// maximum are equal and not above the base frequency, or if the governor is performance and turbo is
// off.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace wick::record {

// In kHz, as the kernel writes them.
struct FrequencySetting {
  std::string driver;    // "intel_pstate", "amd-pstate-epp", "acpi-cpufreq"; empty if unknown
  std::string governor;  // empty if the frequency cannot be controlled from here
  std::optional<int64_t> lowest;   // of the limits of all CPUs
  std::optional<int64_t> highest;  // the same
  std::optional<int64_t> base;     // without turbo
  std::optional<bool> turbo;       // nothing if unknown

  bool processor_chooses() const;
  bool is_held() const;
  // "0.80 to 4.60 GHz"; empty if the limits are unknown.
  std::string limits_text() const;
  // The commands that hold it.
  std::string remedy() const;
};

// Reads /sys/devices/system/cpu below `root`.
FrequencySetting frequency_setting(const std::string& root, std::span<const int> cpus);

// The frequency of the fastest of these CPUs now, in MHz. Right after a run, that is the CPU that
// executed it. Nothing if the kernel does not report frequencies.
std::optional<double> current_mhz(const std::string& root, std::span<const int> cpus);

// A sentence that says whether the frequency held, from its values after each run. Empty if there
// are none.
std::string frequency_text(const std::vector<double>& mhz);

}  // namespace wick::record

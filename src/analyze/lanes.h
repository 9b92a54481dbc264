// SPDX-License-Identifier: Apache-2.0
// The coverage of a recording by ticks, for each CPU. If all CPUs are interrupted at the same
// moments, a tick without a sample is information.
//
// A tick that one CPU misses was either spent where the recorder does not look (its fact "a missing
// tick is" says where), or lost. The two cannot be distinguished, so missing ticks are counted but
// not called a loss. If all CPUs miss their ticks at once, profiling was paused, and no ticks are
// expected in that time.
#pragma once

#include <optional>
#include <vector>

#include "profile/profile.h"
#include "report/report.h"

namespace wick {

struct Lanes {
  Table cpus;    // one row per CPU: samples, seconds covered, missing ticks
  Table pauses;  // when profiling was off; may be empty
};

// The same pauses for drawings, since the first sample. Empty unless the profile has ticks and CPUs.
std::vector<Gap> recording_gaps(const Profile& profile);

// Empty unless the profile has ticks (Event::interval_ns), times and CPUs.
std::optional<Lanes> cpu_lanes(const Profile& profile);

}  // namespace wick

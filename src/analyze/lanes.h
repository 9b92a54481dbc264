// What a recording by ticks covers, CPU by CPU: where every CPU is interrupted at the same moments,
// a tick without a sample means something.
//
// A tick that one CPU misses was spent where the recorder does not look (its fact "a missing tick
// is" says where), or lost; nobody can tell, so it is counted and not called a loss. A time in
// which all CPUs miss theirs at once is a pause of profiling, and no ticks are expected in it.
#pragma once

#include <optional>

#include "profile/profile.h"
#include "report/report.h"

namespace wick {

struct Lanes {
  Table cpus;    // one row each: samples, seconds covered, ticks that are missing
  Table pauses;  // when profiling was off; perhaps no rows
};

// Nothing when the profile has no ticks (Event::interval_ns), times and CPUs.
std::optional<Lanes> cpu_lanes(const Profile& profile);

}  // namespace wick

// One time axis for profiles of several machines.
//
// Each source knows the wall-clock time at which its clock was 0, so the difference of two of them
// puts times of one clock on the other. The reference is the first profile that has a wall-clock
// time.
//
// Machines agree on the wall clock about as well as NTP keeps it. The clock of a boot is more exact.
// Invariant: all profiles of one boot get the same offset, so that their times stay as far apart as
// they were recorded.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.h"

namespace wick {

struct ClockOffsets {
  std::vector<int64_t> ns;  // by profile: what to add to its times
  bool are_certain = true;  // false if two profiles have clocks that cannot be compared
};

ClockOffsets clock_offsets(const std::vector<Profile>& profiles);

}  // namespace wick

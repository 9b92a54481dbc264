// SPDX-License-Identifier: Apache-2.0
// Finds one time axis for profiles of several machines.
//
// Each source has the wall-clock time at which its clock was 0. The difference between the
// wall-clock times of two sources converts times of one clock to the other. The reference is the
// first profile with a wall-clock time.
//
// Wall clocks of two machines differ as much as NTP allows. The clock of one boot is more exact.
// Invariant: all profiles of one boot get the same offset, so the distances between their times do
// not change.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.h"

namespace wick {

struct ClockOffsets {
  std::vector<int64_t> ns;  // by profile: the offset to add to its times
  bool are_certain = true;  // false if two profiles have clocks that cannot be compared
};

ClockOffsets clock_offsets(const std::vector<Profile>& profiles);

}  // namespace wick

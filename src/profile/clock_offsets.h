// SPDX-License-Identifier: Apache-2.0
// One time axis for profiles of several machines.
//
// Each source knows the wall-clock time at which its clock was 0. The difference of two of these
// converts times of one clock to the other. The reference is the first profile that has a
// wall-clock time.
//
// The wall clocks of machines agree as well as NTP synchronizes them. The clock of a boot is more
// exact. Invariant: all profiles of one boot get the same offset, so that the distances between
// their times stay as recorded.
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

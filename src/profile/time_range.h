// SPDX-License-Identifier: Apache-2.0
// The times of the first and the last sample of a profile, in nanoseconds of its clock. Both are
// inclusive.
#pragma once

#include <algorithm>
#include <cstdint>

#include "profile/profile.h"

namespace wick {

struct TimeRange {
  int64_t first = 0;
  int64_t last = 0;
};

// Ignores samples without a time. All zero if no sample has one.
inline TimeRange sampled_time(const Profile& profile) {
  TimeRange range{INT64_MAX, INT64_MIN};
  const Column<int64_t>& times = profile.samples.time_ns;
  for (size_t row = 0; row < times.size(); ++row) {
    if (times[row] != kNoTime) {
      range.first = std::min(range.first, times[row]);
      range.last = std::max(range.last, times[row]);
    }
  }
  return range.first > range.last ? TimeRange() : range;
}

}  // namespace wick

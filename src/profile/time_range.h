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

// The time from `first` to `time`. Files may have times that are further apart than a number can
// say: then it is the largest, or the smallest one.
inline int64_t time_since(int64_t first, int64_t time) {
  int64_t since = 0;
  bool overflows = __builtin_sub_overflow(time, first, &since);
  return !overflows ? since : time < first ? INT64_MIN : INT64_MAX;
}

}  // namespace wick

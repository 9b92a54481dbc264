// SPDX-License-Identifier: Apache-2.0
// What is wrong inside a Firefox profile, counted, and the conversion of its numbers.
#pragma once

#include <cmath>
#include <cstdint>

#include "profile/builder.h"

namespace wick::firefox {

struct Damage {
  uint64_t values = 0;     // of the wrong type, or out of range
  uint64_t parents = 0;    // stacks whose parent does not precede them
  uint64_t frames = 0;     // stacks whose frame does not exist
  uint64_t functions = 0;  // frames whose function does not exist
  uint64_t texts = 0;      // names and files whose text does not exist
  uint64_t stacks = 0;     // samples whose stack does not exist
  uint64_t weights = 0;    // samples with a weight that wick cannot hold
  uint64_t times = 0;      // samples without a usable time
  uint64_t rows = 0;       // samples with a time or weight, but no stack column
  uint64_t halves = 0;     // markers that begin or end without their other half
  uint64_t markers = 0;    // markers without a name or time
  uint64_t points = 0;     // of counters
  uint64_t processes = 0;  // nested too deeply

  void report(ProfileBuilder& builder) const;
};

// Milliseconds of the file as nanoseconds; kNoTime if they are not a time.
inline int64_t to_ns(double milliseconds) {
  constexpr double kMost = 9.2e12;
  bool is_time = milliseconds > -kMost && milliseconds < kMost;  // false for NaN
  return is_time ? std::llround(milliseconds * 1e6) : kNoTime;
}

}  // namespace wick::firefox

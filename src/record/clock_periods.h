// SPDX-License-Identifier: Apache-2.0
// The sampling periods of clocks. A loop that is in step with its clock is sampled at the same
// points again and again, and its shares are wrong by more than their intervals. So each clock has
// its own period, and it changes by up to 1 % during the recording:
//
//     -F HZ    1 to 5 % off the requested one, another for each CPU (and thread)
//     -c N     N, so that the mean is what the user chose
//
// The kernel reports the period with which an event was opened, also after a change. Changes
// therefore come in pairs that cancel out. A change applies to the event that was opened, and to
// those that threads inherit from it later. The period of an inherited event no longer changes,
// but it differs from thread to thread and from CPU to CPU.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "record/perf_event.h"

namespace wick::record {

class ClockPeriods {
 public:
  explicit ClockPeriods(uint32_t seed) : random_(seed) {}

  // A period with which to open an event; 0 if it does not vary: not a clock, or a rate at which a
  // change costs too many samples.
  uint64_t period_for(const EventRequest& event);
  // An event was opened with such a period, or with one that does not vary (0).
  void add(uint64_t period) { periods_.push_back(period); }
  // The next period of each added event, in that order; 0 as above.
  std::vector<uint64_t> next();
  void clear();

 private:
  double random_part(double least, double most);

  std::minstd_rand random_;
  std::vector<uint64_t> periods_;
  std::vector<double> variations_;  // after the first change of a pair; else empty
};

}  // namespace wick::record

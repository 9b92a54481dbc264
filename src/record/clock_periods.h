// SPDX-License-Identifier: Apache-2.0
// The sampling periods of clocks. A loop that is in step with its clock is sampled at the same
// points again and again, and its shares are wrong by more than their intervals. So each clock has
// its own period, 1 to 5 % off the requested one, and it changes by up to 1 % during the recording.
//
// The kernel reports the period with which an event was opened, also after a change. Changes
// therefore come in pairs that cancel out.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "record/perf_event.h"

namespace wick::record {

class ClockPeriods {
 public:
  explicit ClockPeriods(uint32_t seed) : random_(seed) {}

  // The period with which to open a further event; 0 if it does not vary: not a clock, a period
  // that the user chose, or a rate at which a change costs too many samples.
  uint64_t add(const EventRequest& event);
  // The next period of each added event; 0 as above.
  std::vector<uint64_t> next();
  void clear();

 private:
  double random_part(double least, double most);

  std::minstd_rand random_;
  std::vector<uint64_t> periods_;
  std::vector<double> variations_;  // after the first change of a pair; else empty
};

}  // namespace wick::record

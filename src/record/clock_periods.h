// SPDX-License-Identifier: Apache-2.0
// The sampling periods of clocks. A loop that is in step with its clock is sampled at the same
// points again and again, and its shares are wrong by more than their intervals. So the period of
// each clock changes several times a second: it is 1 to 4 % longer or shorter than the requested
// one, never equal to it.
//
// The kernel reports the period with which an event was opened, also after a change. So changes
// alternate between longer and shorter, and their sum stays small; but they differ in size, or the
// samples would return to the points from which they came. Each change loses half a period, so slow
// clocks, and recordings with many events, change less often. A change applies to the event that
// was opened, and to those that threads inherit from it later. The period of an inherited event no
// longer changes, but it differs from thread to thread and from CPU to CPU.
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
  static uint64_t period_for(const EventRequest& event);
  // An event was opened with such a period, or with one that does not vary (0).
  void add(uint64_t period) { periods_.push_back(period); }
  // The next period of each added event, in that order; 0 for those that do not change now.
  std::vector<uint64_t> next();
  void clear();

 private:
  double random_part(double least, double most);

  std::minstd_rand random_;
  std::vector<uint64_t> periods_;
  std::vector<double> drifts_;  // sum of the changes of each event
  uint64_t rounds_ = 0;
};

}  // namespace wick::record

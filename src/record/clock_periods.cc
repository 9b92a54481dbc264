// SPDX-License-Identifier: Apache-2.0
#include "record/clock_periods.h"

#include <cmath>

namespace wick::record {

// A number between least and most, or its negative.
double ClockPeriods::random_part(double least, double most) {
  double part = std::uniform_real_distribution<double>(least, most)(random_);
  return std::bernoulli_distribution()(random_) ? part : -part;
}

uint64_t ClockPeriods::period_for(const EventRequest& event) {
  if (!event.is_clock() || event.is_hectic()) {
    return 0;
  }
  if (event.period != 0 || event.frequency == 0) {
    return event.period;
  }
  return static_cast<uint64_t>(std::llround(1e9 / static_cast<double>(event.frequency)));
}

std::vector<uint64_t> ClockPeriods::next() {
  constexpr uint64_t kSlowNs = 2'000'000;
  constexpr size_t kManyEvents = 64;
  constexpr uint64_t kRareRounds = 3;
  bool is_rare = rounds_++ % kRareRounds != 0;
  drifts_.resize(periods_.size());
  std::vector<uint64_t> result;
  for (size_t i = 0; i < periods_.size(); ++i) {
    if (is_rare && (periods_[i] > kSlowNs || periods_.size() > kManyEvents)) {
      result.push_back(0);
      continue;
    }
    double part = random_part(0.01, 0.04);
    double change = drifts_[i] == 0 ? part : std::copysign(part, -drifts_[i]);
    drifts_[i] += change;
    result.push_back(static_cast<uint64_t>(static_cast<double>(periods_[i]) * (1 + change)));
  }
  return result;
}

void ClockPeriods::clear() {
  periods_.clear();
  drifts_.clear();
}

}  // namespace wick::record

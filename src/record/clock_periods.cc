// SPDX-License-Identifier: Apache-2.0
#include "record/clock_periods.h"

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
  double requested = 1e9 / static_cast<double>(event.frequency);
  return static_cast<uint64_t>(requested * (1 + random_part(0.01, 0.05)));
}

std::vector<uint64_t> ClockPeriods::next() {
  bool second = !variations_.empty();
  std::vector<uint64_t> result;
  for (size_t i = 0; i < periods_.size(); ++i) {
    if (!second) {
      variations_.push_back(random_part(0.003, 0.01));
    }
    double variation = second ? -variations_[i] : variations_[i];
    result.push_back(static_cast<uint64_t>(static_cast<double>(periods_[i]) * (1 + variation)));
  }
  if (second) {
    variations_.clear();
  }
  return result;
}

void ClockPeriods::clear() {
  periods_.clear();
  variations_.clear();
}

}  // namespace wick::record

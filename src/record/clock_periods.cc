// SPDX-License-Identifier: Apache-2.0
#include "record/clock_periods.h"

namespace wick::record {

// A number between least and most, or its negative.
double ClockPeriods::random_part(double least, double most) {
  double part = std::uniform_real_distribution<double>(least, most)(random_);
  return std::bernoulli_distribution()(random_) ? part : -part;
}

uint64_t ClockPeriods::add(const EventRequest& event) {
  bool varies = event.is_clock() && event.period == 0 && event.frequency > 0 && !event.is_hectic();
  double requested = varies ? 1e9 / static_cast<double>(event.frequency) : 0;
  periods_.push_back(static_cast<uint64_t>(requested * (1 + random_part(0.01, 0.05))));
  return periods_.back();
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

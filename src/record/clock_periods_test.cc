// SPDX-License-Identifier: Apache-2.0
#include "record/clock_periods.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace wick::record {
namespace {

EventRequest clock_at(uint64_t frequency) {
  return {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .frequency = frequency};
}

TEST(ClockPeriods, EachClockHasItsOwnNearTheRequestedOne) {
  ClockPeriods periods(1);
  std::set<uint64_t> all;
  for (int cpu = 0; cpu < 200; ++cpu) {
    uint64_t period = periods.period_for(clock_at(1000));
    double off = std::abs(static_cast<double>(period) / 1e6 - 1);
    EXPECT_GE(off, 0.0099);
    EXPECT_LE(off, 0.0501);
    all.insert(period);
  }
  EXPECT_GT(all.size(), 190U);
}

TEST(ClockPeriods, TwoChangesCancelOut) {
  ClockPeriods periods(2);
  std::vector<uint64_t> opened;
  for (int cpu = 0; cpu < 50; ++cpu) {
    opened.push_back(periods.period_for(clock_at(997)));
    periods.add(opened.back());
  }
  for (int pair = 0; pair < 20; ++pair) {
    std::vector<uint64_t> first = periods.next();
    std::vector<uint64_t> second = periods.next();
    for (size_t i = 0; i < opened.size(); ++i) {
      EXPECT_NE(first[i], opened[i]);
      EXPECT_NEAR(static_cast<double>(first[i] + second[i]), static_cast<double>(2 * opened[i]), 3);
    }
  }
}

TEST(ClockPeriods, OnlyClocksVary) {
  ClockPeriods periods(3);
  EXPECT_EQ(periods.period_for(clock_at(100'000)), 0U);  // -F max
  EXPECT_EQ(periods.period_for({.type = PERF_TYPE_HARDWARE, .frequency = 997}), 0U);
  EXPECT_EQ(periods.period_for({.type = PERF_TYPE_HARDWARE, .period = 997}), 0U);
  periods.add(0);
  EXPECT_EQ(periods.next(), std::vector<uint64_t>(1));
}

TEST(ClockPeriods, AChosenPeriodIsTheMean) {
  ClockPeriods periods(4);
  EventRequest chosen = clock_at(0);
  chosen.period = 1'000'000;
  EXPECT_EQ(periods.period_for(chosen), 1'000'000U);
  periods.add(1'000'000);
  uint64_t first = periods.next()[0];
  EXPECT_NE(first, 1'000'000U);
  EXPECT_NEAR(static_cast<double>(first + periods.next()[0]), 2e6, 3);
}

}  // namespace
}  // namespace wick::record

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

TEST(ClockPeriods, ChangesDifferAndTheirMeanIsSmall) {
  ClockPeriods periods(2);
  std::vector<uint64_t> opened;
  for (int cpu = 0; cpu < 50; ++cpu) {
    opened.push_back(ClockPeriods::period_for(clock_at(997)));
    periods.add(opened.back());
  }
  std::vector<double> sums(opened.size());
  std::vector<std::set<uint64_t>> values(opened.size());
  constexpr int kRounds = 40;
  for (int round = 1; round <= kRounds; ++round) {
    std::vector<uint64_t> next = periods.next();
    for (size_t i = 0; i < opened.size(); ++i) {
      double change = static_cast<double>(next[i]) / static_cast<double>(opened[i]) - 1;
      EXPECT_GE(std::abs(change), 0.0099);
      sums[i] += change;
      EXPECT_LE(std::abs(sums[i]), 0.0401);
      values[i].insert(next[i]);
    }
  }
  for (const std::set<uint64_t>& each : values) {
    EXPECT_GT(each.size(), kRounds * 9 / 10);
  }
}

// A change costs half a period: 5 ms of a slow clock.
TEST(ClockPeriods, SlowClocksChangeLessOften) {
  ClockPeriods periods(5);
  periods.add(10'000'000);
  int changes = 0;
  for (int round = 0; round < 30; ++round) {
    changes += periods.next()[0] != 0 ? 1 : 0;
  }
  EXPECT_EQ(changes, 10);
}

TEST(ClockPeriods, OnlyClocksVary) {
  ClockPeriods periods(3);
  EXPECT_EQ(ClockPeriods::period_for(clock_at(100'000)), 0U);  // -F max
  EXPECT_EQ(ClockPeriods::period_for({.type = PERF_TYPE_HARDWARE, .frequency = 997}), 0U);
  EXPECT_EQ(ClockPeriods::period_for({.type = PERF_TYPE_HARDWARE, .period = 997}), 0U);
  periods.add(0);
  EXPECT_EQ(periods.next(), std::vector<uint64_t>(1));
}

TEST(ClockPeriods, TheRequestedPeriodIsTheMean) {
  EXPECT_EQ(ClockPeriods::period_for(clock_at(1000)), 1'000'000U);
  ClockPeriods periods(4);
  EventRequest chosen = clock_at(0);
  chosen.period = 1'000'000;
  EXPECT_EQ(ClockPeriods::period_for(chosen), 1'000'000U);
  periods.add(1'000'000);
  uint64_t first = periods.next()[0];
  EXPECT_NE(first, 1'000'000U);
  EXPECT_EQ(first > 1'000'000, periods.next()[0] < 1'000'000);
}

}  // namespace
}  // namespace wick::record

// SPDX-License-Identifier: Apache-2.0
#include "experiment/counters.h"

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

namespace wick {
namespace {

CounterReading reading(
    std::string name, uint32_t group, uint64_t value, uint64_t enabled, uint64_t running) {
  return {.name = std::move(name),
          .group = group,
          .value = value,
          .enabled_ns = enabled,
          .running_ns = running};
}

std::optional<double> metric(std::span<const CounterReading> readings, std::string_view name) {
  for (const Metric& one : derived_metrics(readings)) {
    if (one.name == name) {
      return one.value;
    }
  }
  return {};
}

TEST(Counters, WhatRanAPartOfTheTimeIsScaled) {
  CounterReading all = reading("cycles", 0, 1000, 40, 40);
  EXPECT_EQ(all.share(), 1);
  EXPECT_EQ(all.estimate(), 1000);
  CounterReading quarter = reading("cycles", 0, 1000, 40, 10);
  EXPECT_EQ(quarter.share(), 0.25);
  EXPECT_EQ(quarter.estimate(), 4000);
}

TEST(Counters, WhatNeverRanHasNoNumber) {
  EXPECT_FALSE(reading("cycles", 0, 0, 40, 0).has_value());
  EXPECT_FALSE((CounterReading{.name = "cycles", .missing = "not here"}.has_value()));
  // A thread that slept all the time was enabled for no time: its zero is a real count.
  EXPECT_TRUE(reading("cycles", 0, 0, 0, 0).has_value());
}

TEST(Counters, RatiosAreOfOneGroup) {
  // The groups took turns; the second saw a phase with twice as many instructions.
  std::array readings = {reading("cycles", 0, 100, 40, 20),
                         reading("instructions", 0, 150, 40, 20),
                         reading("instructions", 1, 300, 40, 20),
                         reading("cache-misses", 1, 3, 40, 20)};
  EXPECT_DOUBLE_EQ(metric(readings, "ipc").value(), 1.5);
  EXPECT_DOUBLE_EQ(metric(readings, "cache-mpki").value(), 10);
}

TEST(Counters, AcrossGroupsOnlyWhatRanAllTheTime) {
  std::array whole = {reading("cpu-cycles", 0, 100, 40, 40),
                      reading("instructions", 1, 50, 40, 40)};
  EXPECT_DOUBLE_EQ(metric(whole, "ipc").value(), 0.5);
  std::array turns = {reading("cycles", 0, 100, 40, 20), reading("instructions", 1, 50, 40, 20)};
  EXPECT_FALSE(metric(turns, "ipc"));
}

TEST(Counters, NoRatioOfZerosOrOfDifferentParts) {
  std::array zero = {reading("cycles", 0, 0, 40, 40), reading("instructions", 0, 0, 40, 40)};
  EXPECT_FALSE(metric(zero, "ipc"));
  std::array never = {reading("cycles", 0, 0, 40, 0), reading("instructions", 0, 0, 40, 0)};
  EXPECT_TRUE(derived_metrics(never).empty());
  std::array parts = {reading("cycles:u", 0, 10, 40, 40), reading("instructions:k", 0, 10, 40, 40)};
  EXPECT_FALSE(metric(parts, "ipc"));
  std::array user = {reading("cycles:u", 0, 10, 40, 40), reading("instructions:u", 0, 20, 40, 40)};
  EXPECT_DOUBLE_EQ(metric(user, "ipc").value(), 2);
}

TEST(Counters, SumsKeepThePartOfTheTime) {
  std::vector<CounterReading> sum;
  std::array first = {reading("cycles", 0, 100, 10, 10), reading("instructions", 0, 7, 10, 5)};
  std::array second = {reading("cycles", 0, 300, 30, 10),
                       CounterReading{.name = "instructions", .missing = "ended"}};
  add_readings(sum, first);
  add_readings(sum, second);
  EXPECT_EQ(sum[0].value, 400U);
  EXPECT_EQ(sum[0].share(), 0.5);
  EXPECT_EQ(sum[0].estimate(), 800);
  EXPECT_EQ(sum[1].value, 7U);
  EXPECT_TRUE(sum[1].has_value());
  std::vector<CounterReading> late(second.begin(), second.end());
  add_readings(late, first);
  EXPECT_TRUE(late[1].has_value()) << "one that is here is enough";
}

TEST(Counters, NamesAndGroupsAsPerfWritesThem) {
  Result<std::vector<CounterRequest>> list =
      parse_counters("page-faults,{cycles,instructions}:u,cpu-clock");
  ASSERT_TRUE(list);
  ASSERT_EQ(list->size(), 4U);
  EXPECT_EQ((*list)[1].event.name, "cycles:u");
  EXPECT_TRUE((*list)[2].event.exclude_kernel);
  EXPECT_EQ((*list)[1].group, (*list)[2].group);
  EXPECT_NE((*list)[0].group, (*list)[1].group);
  EXPECT_NE((*list)[2].group, (*list)[3].group);
  for (const char* text : {"", ",", "{cycles", "{cycles}x", "cycle", "{}"}) {
    EXPECT_FALSE(parse_counters(text)) << text;
  }
}

TEST(Counters, HardwareThatIsNotHereIsOneSentence) {
  Result<std::vector<CounterRequest>> asked = parse_counters("task-clock,cycles,instructions");
  std::array readings = {reading("task-clock", 0, 5, 5, 5),
                         CounterReading{.name = "cycles", .missing = "the reason"},
                         CounterReading{.name = "instructions", .missing = "the reason"}};
  std::optional<std::string> why = why_no_hardware(*asked, readings);
  ASSERT_TRUE(why);
  EXPECT_NE(why->find("the reason"), std::string::npos);
  readings[2] = reading("instructions", 2, 5, 5, 5);
  EXPECT_FALSE(why_no_hardware(*asked, readings));
}

TEST(Counters, CountsThisThread) {
  Result<std::vector<CounterRequest>> asked = parse_counters("minor-faults,task-clock");
  Counters counters = Counters::open(*asked, {.pid = 0, .inherit = false});
  std::vector<CounterReading> none = counters.read();
  if (!none[0].missing.empty()) {
    GTEST_SKIP() << "not allowed here: " << none[0].missing;
  }
  EXPECT_EQ(none[0].value, 0U) << "it is not enabled yet";
  counters.enable();
  std::string ballast(16U << 20, 'x');
  counters.disable();
  std::vector<CounterReading> some = counters.read();
  EXPECT_EQ(ballast.back(), 'x');
  EXPECT_GE(some[0].value, 1U);
  EXPECT_GT(some[1].value, 0U);
  EXPECT_EQ(some[0].share(), 1);
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "base/clock_text.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

double seconds(std::string_view text) {
  std::optional<double> value = parse_clock(text);
  EXPECT_TRUE(value) << text;
  return value.value_or(-1);
}

TEST(ClockText, NumbersAreSeconds) {
  EXPECT_EQ(seconds("21"), 21);
  EXPECT_EQ(seconds(" 17.5 "), 17.5);
  EXPECT_EQ(seconds("-3e2"), -300);
}

TEST(ClockText, HoursMinutesAndSeconds) {
  EXPECT_DOUBLE_EQ(seconds("[00:00:21.000,000]"), 21);
  EXPECT_DOUBLE_EQ(seconds("[00:01:02.003,004]"), 62.003004);
  EXPECT_DOUBLE_EQ(seconds("01:02:03"), 3723);
  EXPECT_DOUBLE_EQ(seconds("01:02:03.5"), 3723.5);
  EXPECT_DOUBLE_EQ(seconds("01:02:03,250"), 3723.25);
  EXPECT_DOUBLE_EQ(seconds("1:02.25"), 62.25);
  EXPECT_DOUBLE_EQ(seconds("100:00:00"), 360000);
}

TEST(ClockText, Iso8601IsSince1970) {
  EXPECT_DOUBLE_EQ(seconds("1970-01-02T00:00:01Z"), 86401);
  EXPECT_DOUBLE_EQ(seconds("2026-11-18T10:00:21.5Z"), 1794996021.5);  // date -d ... +%s
  EXPECT_DOUBLE_EQ(seconds("2026-11-18T11:00:21.5+01:00"), 1794996021.5);
  EXPECT_DOUBLE_EQ(seconds("2026-11-18 08:30:21,5 -0130"), 1794996021.5);
  EXPECT_DOUBLE_EQ(seconds("2026/11/18 10:00:21.500000"), 1794996021.5);
}

TEST(ClockText, DurationsHaveUnits) {
  EXPECT_DOUBLE_EQ(seconds("21.5s"), 21.5);
  EXPECT_DOUBLE_EQ(seconds("21.5 s"), 21.5);
  EXPECT_DOUBLE_EQ(seconds("150ms"), 0.15);
  EXPECT_DOUBLE_EQ(seconds("7\u00b5s"), 7e-6);
  EXPECT_DOUBLE_EQ(seconds("1h2m3.5s"), 3723.5);
  EXPECT_DOUBLE_EQ(seconds("+5.5"), 5.5);
}

TEST(ClockText, UtcIsAZone) {
  EXPECT_DOUBLE_EQ(seconds("2026-11-18 10:00:21.500 UTC"), 1794996021.5);
}

TEST(ClockText, ADateBelongsToItsTime) {
  auto around = [](std::string_view line, std::string_view part) {
    return whole_clock(line, line.substr(line.find(part), part.size()));
  };
  EXPECT_EQ(around("at 2026-11-18 10:00:21,250: go", "2026"), "2026-11-18 10:00:21,250");
  EXPECT_EQ(around("2026/11/18 10:00:21.5 go", "10"), "2026/11/18 10:00:21.5");
  EXPECT_EQ(around("batch 12 10:00:21", "12"), "12");
  EXPECT_EQ(around("batch 12 of 10", "10"), "10");
}

TEST(ClockText, OtherTextIsNotATime) {
  for (std::string_view text : {"",
                                "5 batches",
                                "3s2m",
                                "s",
                                "++5",
                                "two",
                                "12:",
                                "12:61:00",
                                "::",
                                "1:2:3:4",
                                "[21",
                                "10:00:21x",
                                "2026-13-01T00:00:00",
                                "2026-11-18",
                                "127.0.0.1",
                                "0:1.5.5",
                                "00:00:1.2,3",
                                "2026-11-18T10:00",
                                "2026-11-18T99:00:00Z",
                                "nan",
                                "1:02:03+01",
                                "[]",
                                "2026-02-30T00:00:00"}) {
    EXPECT_FALSE(parse_clock(text)) << text;
  }
}

// The text of the time around the first `part` in the line.
std::string_view around(std::string_view line, std::string_view part) {
  return whole_clock(line, line.substr(line.find(part), part.size()));
}

TEST(ClockText, APartOfATimeBecomesTheWholeTime) {
  EXPECT_EQ(around("[00:00:21.000,000] <inf> tick", "1"), "00:00:21.000,000");
  EXPECT_EQ(around("[00:00:21.000,000] <inf> tick", "00"), "00:00:21.000,000");
  EXPECT_EQ(around("at 10:00:21, batch 3", "21"), "10:00:21");
  EXPECT_EQ(around("2026-11-18T10:00:21Z go", "21"), "2026-11-18T10:00:21Z");
  EXPECT_EQ(around("10:00:21 batch 3", "3"), "3");
  EXPECT_EQ(around("batch 12:30 of 99", "12"), "12") << "a ratio, or a time of day";
  EXPECT_EQ(around("127.0.0.1:80", "80"), "80");
  EXPECT_EQ(around("phase two", "two"), "two");
}

}  // namespace
}  // namespace wick

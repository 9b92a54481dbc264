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

TEST(ClockText, CommasAreDecimalOrBetweenThousands) {
  EXPECT_DOUBLE_EQ(seconds("21,5"), 21.5);
  EXPECT_DOUBLE_EQ(seconds("-21,25"), -21.25);
  EXPECT_DOUBLE_EQ(seconds("0,250"), 0.25);
  EXPECT_DOUBLE_EQ(seconds("1234,567"), 1234.567);
  EXPECT_DOUBLE_EQ(seconds("1,234.5"), 1234.5);
  EXPECT_DOUBLE_EQ(seconds("1,234,567"), 1234567);
}

TEST(ClockText, UnitsHaveLongNames) {
  EXPECT_DOUBLE_EQ(seconds("2 minutes, 5 seconds"), 125);
  EXPECT_DOUBLE_EQ(seconds("1min 2.5s"), 62.5);
  EXPECT_DOUBLE_EQ(seconds("3 hrs"), 10800);
  EXPECT_DOUBLE_EQ(seconds("7 usec"), 7e-6);
  EXPECT_DOUBLE_EQ(seconds("2 days, 3:04:05"), 2 * 86400 + 3 * 3600 + 4 * 60 + 5);
  EXPECT_DOUBLE_EQ(seconds("2-03:04:05"), 2 * 86400 + 3 * 3600 + 4 * 60 + 5);
}

TEST(ClockText, HalvesOfTheDay) {
  EXPECT_DOUBLE_EQ(seconds("10:00:21 PM"), 22 * 3600 + 21);
  EXPECT_DOUBLE_EQ(seconds("10:00:21.5am"), 36021.5);
  EXPECT_DOUBLE_EQ(seconds("12:00:01 AM"), 1);
  EXPECT_DOUBLE_EQ(seconds("12:00:01 p.m."), 43201);
  EXPECT_DOUBLE_EQ(seconds("4:21 PM"), 16 * 3600 + 21 * 60);
}

// The values are those of `date -u -d ... +%s`.
TEST(ClockText, DatesAsProgramsPrintThem) {
  for (std::string_view text : {"Wed, 18 Nov 2026 10:00:21 GMT",
                                "Wed, 18 Nov 2026 11:00:21 +0100",
                                "Wednesday, 18-Nov-26 10:00:21 GMT",
                                "Wed Nov 18 10:00:21 2026",
                                "[Wed Nov 18 10:00:21 2026]",
                                "Wed Nov 18 10:00:21 UTC 2026",
                                "Wed Nov 18 10:00:21 AM UTC 2026",
                                "Wed Nov 18 2026 10:00:21 GMT+0000 (Coordinated Universal Time)",
                                "18/Nov/2026:11:00:21 +0100",
                                "11/18/2026, 10:00:21 AM",
                                "18.11.2026 10:00:21",
                                "20261118T100021Z",
                                "20261118 10:00:21",
                                "I20261118 10:00:21",
                                "2026-11-18 10:00:21 CET"}) {
    EXPECT_DOUBLE_EQ(seconds(text), 1794996021) << text;
  }
  EXPECT_DOUBLE_EQ(seconds("2026-11-18T10:00Z"), 1794996000);
  EXPECT_DOUBLE_EQ(seconds("5/6/2026, 1:00:00 AM"), 1778029200) << "a time with AM: May 6";
}

TEST(ClockText, DatesWithoutAYearCountFromJanuary) {
  EXPECT_DOUBLE_EQ(seconds("Jan  1 00:00:05"), 5);
  EXPECT_DOUBLE_EQ(seconds("Feb 29 00:00:00"), 59 * 86400);
  EXPECT_DOUBLE_EQ(seconds("Nov 19 04:21:37.5") - seconds("Nov 18 04:21:37"), 86400.5);
  EXPECT_DOUBLE_EQ(seconds("I1119 04:21:37.123456"), seconds("Nov 19 04:21:37.123456"));
}

TEST(ClockText, APartIsNotReplacedByAnother) {
  EXPECT_DOUBLE_EQ(seconds("Nov 18 2026 10:00:21 MAY"), 1794996021) << "not a second month";
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
                                "21,500",
                                "1,23,456",
                                ",5",
                                "5/6/2026 10:00:21",
                                "0:00 PM",
                                "13:00:00 AM",
                                "19 10:00:21",
                                "Nov 10:00:21",
                                "Nov 19 2026",
                                "Nov 19 19 10:00:21",
                                "Nov 19 10:00:21 10:00:22",
                                "19.13.2026 10:00:21",
                                "PM 10:00:21",
                                "UTC",
                                "1 day, 2",
                                "2 d 3 d",
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
  EXPECT_EQ(around("t=10:00:21; batch", "21"), "10:00:21");
  EXPECT_EQ(around("Nov 19 04:21:37 host app[7]: tick 5", "19"), "Nov 19 04:21:37");
  EXPECT_EQ(around("Nov 19 04:21:37 host app[7]: tick 5", "37"), "Nov 19 04:21:37");
  EXPECT_EQ(around("Nov 19 04:21:37 host app[7]: tick 5", "5"), "5");
  EXPECT_EQ(around("at 10:00:21 PM, batch 3", "10"), "10:00:21 PM");
  EXPECT_EQ(around("at 10:00:21 PM, batch 3", "10:00:21"), "10:00:21 PM");
  EXPECT_EQ(around("2026-11-18 10:00:21 go", "10:00:21"), "10:00:21")
      << "the time alone is asked for";
  EXPECT_EQ(around("Thu, 19 Nov 2026 04:21:37 +0000 go", "2026"),
            "Thu, 19 Nov 2026 04:21:37 +0000");
  EXPECT_EQ(around("I1119 04:21:37.5 12 main.cc:7] go", "04"), "I1119 04:21:37.5");
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Tests the report of `wick stat` on runs that the test makes up: the numbers of a row, verdicts of
// comparisons, and notes. Random runs of equal programs check that verdicts are rarely wrong.
#include "experiment/stat/stat_report.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <random>

#include <gtest/gtest.h>

#include "experiment/stat/perf_fields.h"

namespace wick {
namespace {

// Runs with these wall times, and hardware counters that ran half of the time because groups took
// turns.
StatSide side_of(std::string name, const std::vector<double>& walls, uint64_t cycles = 1000) {
  StatSide side{.name = std::move(name)};
  for (double wall : walls) {
    MeasuredRun run{.wall_seconds = wall, .user_seconds = wall / 2, .minor_faults = 7};
    run.counters = {
        {.name = "task-clock",
         .value = static_cast<uint64_t>(5e8 * wall),
         .enabled_ns = 10,
         .running_ns = 10},
        {.name = "cycles", .group = 1, .value = cycles, .enabled_ns = 10, .running_ns = 5},
        {.name = "instructions", .group = 1, .value = 1500, .enabled_ns = 10, .running_ns = 5}};
    side.runs.push_back(stat_run(run));
  }
  return side;
}

StatOptions options() {
  return {.requests = *parse_counters("task-clock,{cycles,instructions}")};
}

const Table& rows(const Report& report) {
  return std::get<Table>(report.sections[0].body);
}

size_t row_of(const Table& table, std::string_view name) {
  const ReportColumn& names = *table.find("name");
  for (size_t row = 0; row < table.rows(); ++row) {
    if (names.text[row] == name) {
      return row;
    }
  }
  ADD_FAILURE() << "no row " << name;
  return 0;
}

bool has_row(const Table& table, std::string_view name) {
  const ReportColumn& names = *table.find("name");
  for (size_t row = 0; row < table.rows(); ++row) {
    if (names.text[row] == name) {
      return true;
    }
  }
  return false;
}

const Section* section(const Report& report, std::string_view name) {
  auto found = std::ranges::find(report.sections, name, &Section::name);
  return found == report.sections.end() ? nullptr : &*found;
}

bool has_note(const Report& report, std::string_view part) {
  return std::ranges::any_of(
      report.notes, [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

TEST(StatReport, OneRunHasValuesAndNoIntervals) {
  StatSide side = side_of("program", {2});
  Report report = stat_report(std::span(&side, 1), options());
  const Table& table = rows(report);
  EXPECT_EQ(table.find("value")->numbers[row_of(table, "wall")], 2);
  EXPECT_TRUE(table.find("value")->low.empty());
  EXPECT_EQ(table.find("spread"), nullptr);
  EXPECT_EQ(section(report, "histogram"), nullptr);
}

TEST(StatReport, CountersAreScaledAndSaidToBe) {
  StatSide side = side_of("program", {2});
  Report report = stat_report(std::span(&side, 1), options());
  const Table& table = rows(report);
  EXPECT_EQ(table.find("value")->numbers[row_of(table, "cycles")], 2000);
  EXPECT_EQ(table.find("remark")->text[row_of(table, "cycles")],
            "counted 50 % of the time, scaled");
  EXPECT_EQ(table.find("value")->numbers[row_of(table, "ipc")], 1.5);
  EXPECT_EQ(table.find("remark")->text[row_of(table, "ipc")], "per cycle");
  EXPECT_EQ(table.find("remark")->text[row_of(table, "task-clock")], "0.50 CPUs busy");
  EXPECT_TRUE(has_note(report, "groups took turns"));
}

TEST(StatReport, WhatWasNotCountedHasNoRow) {
  StatSide side = side_of("program", {2});
  for (CounterReading& counter : side.runs[0].counters) {
    if (counter.group == 1) {
      counter.missing = "none of them";
    }
  }
  side.runs[0].metrics.clear();
  add_counter_metrics(side.runs[0].counters, side.runs[0].metrics);
  Report report = stat_report(std::span(&side, 1), options());
  EXPECT_FALSE(has_row(rows(report), "cycles"));
  EXPECT_FALSE(has_row(rows(report), "ipc"));
  EXPECT_TRUE(has_note(report, "Hardware counters are not available: none of them"));
}

TEST(StatReport, CounterThatNeverGotItsTurnIsNamed) {
  StatSide side = side_of("program", {2});
  side.runs[0].counters[2].running_ns = 0;
  side.runs[0].metrics.clear();
  add_counter_metrics(side.runs[0].counters, side.runs[0].metrics);
  Report report = stat_report(std::span(&side, 1), options());
  EXPECT_FALSE(has_row(rows(report), "instructions"));
  EXPECT_TRUE(has_note(report, "Not available: instructions (it never got a turn"));
}

TEST(StatReport, RunsHaveMedianIntervalAndHistogram) {
  StatSide side = side_of("program", {1, 2, 3, 4, 5, 6, 7});
  Report report = stat_report(std::span(&side, 1), options());
  const Table& table = rows(report);
  size_t wall = row_of(table, "wall");
  EXPECT_EQ(table.find("median")->numbers[wall], 4);
  EXPECT_EQ(table.find("median")->low[wall], 1);
  EXPECT_EQ(table.find("median")->high[wall], 7);
  EXPECT_EQ(table.find("least")->numbers[wall], 1);
  ASSERT_NE(section(report, "histogram"), nullptr);
  double sum = 0;
  for (double count : std::get<Table>(section(report, "histogram")->body).find("count")->numbers) {
    sum += count;
  }
  EXPECT_EQ(sum, 7);
}

TEST(StatReport, FailedRunsAreLeftOutUnlessAllFailed) {
  StatSide side = side_of("program", {1, 100, 3});
  side.runs[1].status = 9;
  Report report = stat_report(std::span(&side, 1), options());
  EXPECT_EQ(rows(report).find("most")->numbers[row_of(rows(report), "wall")], 3);
  EXPECT_TRUE(has_note(report, "1 of 3 runs of program ended with status 9; they are left out"));
  side.runs[1].status = 128 + SIGKILL;
  EXPECT_TRUE(has_note(stat_report(std::span(&side, 1), options()), "status 137 (SIGKILL);"));
  for (StatRun& run : side.runs) {
    run.status = 1;
  }
  report = stat_report(std::span(&side, 1), options());
  EXPECT_EQ(rows(report).find("most")->numbers[row_of(rows(report), "wall")], 100);
  EXPECT_TRUE(has_note(report, "because none succeeded"));
}

TEST(StatReport, TwoCommandsAreCompared) {
  std::array sides = {side_of("old", {1.00, 1.02, 0.98, 1.01, 0.99}),
                      side_of("new", {0.80, 0.82, 0.78, 0.81, 0.79}, 1001)};
  Report report = stat_report(sides, options());
  const Table& table = rows(report);
  size_t wall = row_of(table, "wall");
  EXPECT_EQ(table.find("verdict")->text[wall], "faster");
  EXPECT_NEAR(table.find("relative")->numbers[wall], -0.2, 1e-3);
  EXPECT_LT(table.find("relative")->high[wall], -0.15);
  EXPECT_EQ(table.find("verdict")->text[row_of(table, "minor-faults")], "no evidence");
  EXPECT_TRUE(has_note(report, "paired change -20.0 %"));
}

// The row and the note use one test of the same pairs.
TEST(StatReport, RowAndNoteAgree) {
  std::array sides = {side_of("old", {1.00, 2.00, 3.00, 4.00, 5.00}),
                      side_of("new", {1.10, 2.24, 3.31, 4.42, 5.47})};
  Report report = stat_report(sides, options());
  const ReportColumn& change = *rows(report).find("relative");
  size_t wall = row_of(rows(report), "wall");
  EXPECT_EQ(rows(report).find("verdict")->text[wall], "slower")
      << "the pairs agree, although times differ five times between them";
  EXPECT_TRUE(has_note(report,
                       fmt::format("paired change {:+.1f} % ({:+.1f} to {:+.1f} %).",
                                   100 * change.numbers[wall],
                                   100 * change.low[wall],
                                   100 * change.high[wall])))
      << report.notes[0];
}

TEST(StatReport, ADisturbedRunIsNamed) {
  std::array sides = {side_of("old", {1.00, 1.02, 0.98, 1.01, 0.99}),
                      side_of("new", {1.00, 1.02, 7.00, 1.01, 0.99})};
  Report report = stat_report(sides, options());
  EXPECT_TRUE(has_note(report, "Run 3 after took 7.000 s, 6.9 times the median"));
  EXPECT_TRUE(has_note(report, "--rerun N repeats"));
  EXPECT_FALSE(has_note(stat_report(std::span(sides).first(1), options()), "--rerun"));
}

// One disturbed run of ten, however long it took, neither causes a verdict nor hides one.
TEST(StatReport, OneOutlierDoesNotFlipTheVerdict) {
  std::vector<double> before = {1.00, 1.01, 0.99, 1.00, 1.02};
  std::vector<double> same = {1.01, 0.99, 1.00, 1.02, 1.00};
  std::vector<double> slower = {1.20, 1.22, 1.19, 1.21, 1.21};
  auto verdict = [&](std::vector<double> after, double outlier) {
    after[2] = outlier;
    std::array sides = {side_of("old", before), side_of("new", after)};
    Report report = stat_report(sides, options());
    return rows(report).find("verdict")->text[row_of(rows(report), "wall")];
  };
  for (double outlier : {0.01, 1.19, 3.0, 1000.0}) {
    EXPECT_EQ(verdict(slower, outlier), "slower") << outlier;
    EXPECT_EQ(verdict(same, outlier), "no evidence") << outlier;
  }
}

TEST(StatReport, ARunWithoutItsPartnerIsLeftOut) {
  std::array sides = {side_of("old", {1, 50, 1}), side_of("new", {2, 2, 2})};
  sides[0].runs[1].status = 1;
  Report report = stat_report(sides, options());
  EXPECT_NEAR(rows(report).find("relative")->numbers[row_of(rows(report), "wall")], 1, 1e-9);
}

TEST(StatReport, VerdictThatAnIntervalSeemsToContradictIsExplained) {
  std::array sides = {side_of("old", {1.0, 1.1, 0.9}), side_of("new", {1.3, 1.5, 1.1})};
  Report report = stat_report(sides, options());
  const Table& table = rows(report);
  size_t wall = row_of(table, "wall");
  ASSERT_GT(table.find("relative")->low[wall], 0);
  ASSERT_EQ(table.find("verdict")->text[wall], "no evidence");
  EXPECT_TRUE(has_note(report, "verdicts are corrected for all"));
  sides[1] = side_of("new", {1.0, 1.1, 0.9});
  EXPECT_FALSE(has_note(stat_report(sides, options()), "corrected"));
}

TEST(StatReport, LargeRatiosAreSeenThroughTheirOwnSpread) {
  std::array sides = {side_of("old", {1, 1, 1, 1}), side_of("new", {1, 1, 1, 1})};
  std::array<double, 4> waits = {5000, 12000, 14000, 9000};
  for (size_t i = 0; i < waits.size(); ++i) {
    sides[0].runs[i].metrics.push_back({"waits", "", waits[i]});
    sides[1].runs[i].metrics.push_back({"waits", "", 1});
  }
  Report report = stat_report(sides, options());
  size_t row = row_of(rows(report), "waits");
  EXPECT_EQ(rows(report).find("verdict")->text[row], "less");
  EXPECT_GT(rows(report).find("relative")->low[row], -1) << "no less than nothing";
}

TEST(StatReport, NoiseIsNoDifference) {
  std::array sides = {side_of("old", {1.0, 1.2, 0.9}), side_of("new", {1.1, 0.95, 1.15})};
  // No migration in three runs against one in each of three can be chance.
  for (StatRun& run : sides[0].runs) {
    run.metrics.push_back({"migrations", "", 0});
  }
  for (StatRun& run : sides[1].runs) {
    run.metrics.push_back({"migrations", "", 1});
  }
  Report report = stat_report(sides, options());
  for (size_t row = 0; row < rows(report).rows(); ++row) {
    EXPECT_EQ(rows(report).find("verdict")->text[row], "no evidence")
        << rows(report).find("name")->text[row];
  }
}

// The same program on both sides, thousands of times: at most one comparison in twenty marks
// anything.
TEST(StatReport, ComparisonOfEqualsIsSilent) {
  std::mt19937_64 random(3);
  constexpr int kTrials = 2000;
  for (size_t runs : {3U, 5U, 10U}) {
    int flagged = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::array sides = {StatSide{.name = "a"}, StatSide{.name = "b"}};
      for (StatSide& side : sides) {
        for (size_t run = 0; run < runs; ++run) {
          double wall = std::lognormal_distribution<double>(0, 0.2)(random);
          side.runs.push_back(
              {.metrics = {
                   {"wall", "seconds", wall},
                   {"user", "seconds", wall * std::normal_distribution<double>(1, 0.05)(random)},
                   {"migrations", "", double(std::poisson_distribution<int>(0.5)(random))},
                   {"switches", "", double(std::poisson_distribution<int>(40)(random))},
                   {"faults", "", double(1000 + std::poisson_distribution<int>(1)(random))},
                   {"ipc", "per cycle", std::normal_distribution<double>(2, 0.1)(random)}}});
        }
      }
      Report report = stat_report(sides, {});
      const ReportColumn& verdict = *rows(report).find("verdict");
      bool any = false;
      for (size_t row = 0; row < rows(report).rows(); ++row) {
        any = any || verdict.text[row] != "no evidence";
      }
      flagged += any ? 1 : 0;
    }
    EXPECT_LT(flagged, 0.06 * kTrials) << runs << " runs";
  }
}

TEST(StatReport, ProgramsGetEveryRun) {
  StatSide side = side_of("program", {1, 2});
  StatOptions all = options();
  all.for_programs = true;
  Report report = stat_report(std::span(&side, 1), all);
  ASSERT_NE(section(report, "runs"), nullptr);
  EXPECT_EQ(std::get<Table>(section(report, "runs")->body).find("wall")->numbers[1], 2);
}

TEST(StatReport, FieldsAreThoseOfPerf) {
  StatSide side = side_of("program", {2});
  EXPECT_EQ(separated_text(side, options(), ";"),
            "1000.00;msec;task-clock;10;100.00;0.500;CPUs utilized\n"
            "2000;;cycles;5;50.00;2.000;K/sec\n"
            "3000;;instructions;5;50.00;1.50;insn per cycle\n");
  side.runs[0].counters[1].missing = "none";
  side.runs[0].counters[2].running_ns = 0;
  EXPECT_EQ(separated_text(side, options(), ","),
            "1000.00,msec,task-clock,10,100.00,0.500,CPUs utilized\n"
            "<not supported>,,cycles,0,100.00,,\n"
            "<not counted>,,instructions,0,100.00,,\n");
  StatSide two = side_of("program", {2, 2});
  EXPECT_TRUE(
      separated_text(two, options(), ",").starts_with("1000.00,msec,task-clock,0.00%,10,100.00,"));
}

TEST(StatReport, HistogramOfEqualTimesIsOneBin) {
  std::vector<double> same(8, 0.25);
  EXPECT_EQ(histogram_of(same).counts, std::vector<size_t>{8});
  std::vector<double> spread = {0, 1, 2, 3, 4, 5, 6, 7};
  Histogram histogram = histogram_of(spread);
  EXPECT_EQ(histogram.counts.size(), 4U);
  EXPECT_EQ(histogram.counts, (std::vector<size_t>{2, 2, 2, 2}));
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Checks that significant differences are marked, and no others.
#include "experiment/sweep/comparison.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace wick {
namespace {

Sweep sweep_of(const std::vector<std::vector<double>>& runs, bool more_is_better) {
  Sweep sweep{.name = "plan", .directory = "out"};
  sweep.metrics = {{.name = "rate", .more_is_better = more_is_better}};
  sweep.axes = {{.name = "n"}};
  for (size_t i = 0; i < runs.size(); ++i) {
    sweep.axes[0].values.push_back(fmt::format("{}", i));
    SweepPoint point{.id = static_cast<uint32_t>(i + 1), .values = {i}};
    point.metrics = {std::nullopt};
    if (!runs[i].empty()) {
      std::vector<double> sorted = runs[i];
      std::ranges::sort(sorted);
      double median = sorted[sorted.size() / 2];
      point.metrics = {SweepNumber{.median = {median, median, median}, .values = runs[i]}};
    }
    sweep.points.push_back(std::move(point));
  }
  return sweep;
}

std::vector<std::string> marks_of(Sweep sweep) {
  mark_extremes(sweep);
  std::vector<std::string> marks;
  for (const SweepPoint& point : sweep.points) {
    marks.emplace_back(point.metrics[0] ? mark_name(point.metrics[0]->mark) : "none");
  }
  return marks;
}

using Marks = std::vector<std::string>;
const std::vector<double> kSlow = {10.1, 10.2, 10.3, 10.2};
const std::vector<double> kMiddle = {15.1, 15.3, 15.2, 15.2};
const std::vector<double> kFast = {20.3, 20.1, 20.2, 20.4};
const std::vector<double> kAsFast = {20.2, 20.3, 20.0, 20.3};

TEST(Marks, AllThatCannotBeDistinguishedFromTheBestAreBest) {
  EXPECT_EQ(marks_of(sweep_of({kSlow, kFast, kMiddle, kAsFast}, true)),
            (Marks{"worst", "best", "", "best"}));
  EXPECT_EQ(marks_of(sweep_of({kSlow, kFast, kMiddle, kAsFast}, false)),
            (Marks{"best", "worst", "", "worst"}));
}

TEST(Marks, IndistinguishableValuesAreNotMarked) {
  EXPECT_EQ(marks_of(sweep_of({kFast, kAsFast}, true)), (Marks{"", ""}));
  EXPECT_EQ(marks_of(sweep_of({{1.5}, {2.5}, {3.5}}, true)), (Marks{"", "", ""})) << "one run each";
  EXPECT_EQ(marks_of(sweep_of({kFast}, true)), Marks{""});
  EXPECT_EQ(marks_of(sweep_of({{}, {}}, true)), (Marks{"none", "none"}));
}

TEST(Marks, PointsThatFailACheckAreNotTheBestButMayBeTheWorst) {
  Sweep sweep = sweep_of({kSlow, kFast, kMiddle, {}}, true);
  sweep.points[1].failed_checks = {"no errors"};
  EXPECT_EQ(marks_of(sweep), (Marks{"worst", "", "best", "none"}));
  sweep.metrics[0].more_is_better = false;
  EXPECT_EQ(marks_of(sweep), (Marks{"best", "worst", "", "none"}));
  sweep.points[1].status = "failed";
  EXPECT_EQ(marks_of(sweep), (Marks{"best", "", "worst", "none"})) << "its runs are not whole";
  for (SweepPoint& point : sweep.points) {
    point.failed_checks = {"no errors"};
  }
  EXPECT_EQ(marks_of(sweep), (Marks{"", "", "worst", "none"}));
}

TEST(Marks, ARatioThatIsOneInEveryRunIsNoCount) {
  std::vector<double> none = {0, 0, 0};
  std::vector<double> ones = {1, 1, 1};
  EXPECT_EQ(marks_of(sweep_of({none, ones}, false)), (Marks{"", ""})) << "one event in a run";
  EXPECT_EQ(marks_of(sweep_of({none, ones, {1.5, 1.6, 1.55}}, false)),
            (Marks{"best", "", "worst"}));
}

TEST(Comparison, OfTwoSweepsIsCorrectedForAllRows) {
  Sweep before = sweep_of({kSlow, kMiddle}, true);
  Sweep after = sweep_of({kMiddle, kMiddle}, true);
  Result<Report> report = compare_sweeps(before, after);
  ASSERT_TRUE(report);
  const Table& table = std::get<Table>(report->sections[0].body);
  const ReportColumn& verdict = table.columns[5];
  EXPECT_EQ(verdict.text[0], "better");
  EXPECT_EQ(verdict.text[1], "no evidence");
  ASSERT_EQ(report->notes.size(), 2U);
  EXPECT_NE(report->notes[1].find("not run in turns"), std::string::npos);
  EXPECT_NE(report->notes[0].find("all 2 rows"), std::string::npos);
  before.machine_findings = {{.what = "other load", .why = "keeps 1 of 2 CPUs busy"}};
  report = compare_sweeps(before, after);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->notes[1], "Machine of out: other load: keeps 1 of 2 CPUs busy.");
  before.metrics[0].name = "other";
  EXPECT_FALSE(compare_sweeps(before, after));
}

TEST(Comparison, OneDisturbedRunOfFiveDoesNotDecide) {
  Sweep before = sweep_of({{10.1, 10.2, 10.3, 10.2, 10.1}}, true);
  Sweep after = sweep_of({{12.1, 12.2, 1.3, 12.2, 12.1}}, true);
  Result<Report> report = compare_sweeps(before, after);
  ASSERT_TRUE(report);
  const Table& table = std::get<Table>(report->sections[0].body);
  EXPECT_EQ(table.find("verdict")->text[0], "better");
  EXPECT_NEAR(table.find("after")->numbers[0], 12.13, 0.05) << "of the runs that count";
  EXPECT_NEAR(table.find("change")->numbers[0], 18.9, 0.5);
}

TEST(Comparison, PointsThatOneSideHasAloneAreCounted) {
  Sweep before = sweep_of({kSlow, {}, kMiddle, kFast}, true);
  Sweep after = sweep_of({kSlow, kMiddle, kMiddle}, true);
  before.directory = "a";
  after.directory = "b";
  Result<Report> report = compare_sweeps(before, after);
  ASSERT_TRUE(report);
  ASSERT_EQ(report->notes.size(), 4U) << "the third is about the correction";
  EXPECT_EQ(report->notes[0],
            "2 of 4 points of a are left out: b has no such point, or too few runs "
            "succeeded.");
  EXPECT_EQ(report->notes[1].find("1 of 3 points of b is left out"), 0U) << report->notes[1];
}

TEST(Comparison, NotesWhenTheMitigationsDiffer) {
  Sweep before = sweep_of({kSlow, kFast}, true);
  Sweep after = before;
  before.machine_facts = {{"mitigations", "meltdown: PTI"}};
  after.machine_facts = {{"mitigations", "not needed"}};
  Result<Report> report = compare_sweeps(before, after);
  ASSERT_TRUE(report);
  EXPECT_TRUE(std::ranges::any_of(report->notes, [](const std::string& note) {
    return note.find("meltdown (PTI before, none after)") != std::string::npos;
  }));
}

}  // namespace
}  // namespace wick

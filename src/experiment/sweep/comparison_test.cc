// What can be told apart is marked, and nothing else is.
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

TEST(Marks, AllThatCannotBeToldFromTheBestAreBest) {
  EXPECT_EQ(marks_of(sweep_of({kSlow, kFast, kMiddle, kAsFast}, true)),
            (Marks{"worst", "best", "", "best"}));
  EXPECT_EQ(marks_of(sweep_of({kSlow, kFast, kMiddle, kAsFast}, false)),
            (Marks{"best", "worst", "", "worst"}));
}

TEST(Marks, WhereNothingCanBeToldApartNothingIsMarked) {
  EXPECT_EQ(marks_of(sweep_of({kFast, kAsFast}, true)), (Marks{"", ""}));
  EXPECT_EQ(marks_of(sweep_of({{1.5}, {2.5}, {3.5}}, true)), (Marks{"", "", ""})) << "one run each";
  EXPECT_EQ(marks_of(sweep_of({kFast}, true)), Marks{""});
  EXPECT_EQ(marks_of(sweep_of({{}, {}}, true)), (Marks{"none", "none"}));
}

TEST(Marks, PointsThatAreNotWellDoNotCount) {
  Sweep sweep = sweep_of({kSlow, kFast, kMiddle, {}}, true);
  sweep.points[1].failed_checks = {"no errors"};
  EXPECT_EQ(marks_of(sweep), (Marks{"worst", "", "best", "none"}));
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
  EXPECT_TRUE(report->notes.empty());
  before.metrics[0].name = "other";
  EXPECT_FALSE(compare_sweeps(before, after));
}

TEST(Comparison, PointsThatOneSideHasAloneAreCounted) {
  Sweep before = sweep_of({kSlow, {}, kMiddle, kFast}, true);
  Sweep after = sweep_of({kSlow, kMiddle, kMiddle}, true);
  before.directory = "a";
  after.directory = "b";
  Result<Report> report = compare_sweeps(before, after);
  ASSERT_TRUE(report);
  ASSERT_EQ(report->notes.size(), 2U);
  EXPECT_EQ(report->notes[0],
            "2 of 4 points of a are left out: b has no such point, or there are too few runs that "
            "did not fail.");
  EXPECT_EQ(report->notes[1].find("1 of 3 points of b is left out"), 0U) << report->notes[1];
}

}  // namespace
}  // namespace wick

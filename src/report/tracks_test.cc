// SPDX-License-Identifier: Apache-2.0
#include "report/tracks.h"

#include <gtest/gtest.h>

#include "report/testing.h"

namespace wick {
namespace {

using testing::kMs;
using testing::made_up_tracks;

const ShapedTable* part(const std::vector<ShapedTable>& tables, std::string_view name) {
  auto found = std::ranges::find(tables, name, &ShapedTable::name);
  return found == tables.end() ? nullptr : &*found;
}

const std::vector<double>& numbers(const ShapedTable& table, ColumnRole role) {
  return table.table.find(role)->numbers;
}

TEST(Tracks, BecomeTablesThatReferToEachOther) {
  std::vector<ShapedTable> tables = as_tables({"t", "T", made_up_tracks()});
  std::vector<std::string> names;
  for (const ShapedTable& table : tables) {
    names.push_back(table.name + " " + std::string(table.shape));
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"t tracks",
                                      "t_points points",
                                      "t_spans spans",
                                      "t_marks marks",
                                      "t_gaps gaps",
                                      "t_arrows arrows",
                                      "t_stacks stacks"}));
  EXPECT_EQ(tables[0].table.rows(), 5U);
  const ShapedTable& spans = *part(tables, "t_spans");
  EXPECT_EQ(spans.table.rows(), 10U);
  EXPECT_EQ(numbers(spans, ColumnRole::kTrack).back(), 3);
  EXPECT_EQ(spans.table.find(ColumnRole::kState)->text[7], "blocked");
  EXPECT_EQ(numbers(spans, ColumnRole::kStack)[7], 2);
  EXPECT_TRUE(std::isnan(numbers(spans, ColumnRole::kStack)[6])) << "no stack";
  // Only calls have cycles.
  const ReportColumn* cycles = spans.table.find("cycles");
  ASSERT_EQ(cycles->numbers.size(), 10U);
  EXPECT_EQ(cycles->numbers[0], 60.0 * kMs);
  EXPECT_TRUE(std::isnan(cycles->numbers[9]));
  const ShapedTable& gaps = *part(tables, "t_gaps");
  EXPECT_EQ(numbers(gaps, ColumnRole::kTrack), (std::vector<double>{1}));
  EXPECT_EQ(gaps.table.find(ColumnRole::kReason)->text[0], "the buffer overflowed");
  EXPECT_EQ(numbers(*part(tables, "t_arrows"), ColumnRole::kToTrack), (std::vector<double>{3}));
}

TEST(Tracks, PointsHaveTheirBandAndUnit) {
  std::vector<ShapedTable> tables = as_tables({"t", "T", made_up_tracks()});
  const Table& points = part(tables, "t_points")->table;
  const ReportColumn& value = *points.find(ColumnRole::kValue);
  ASSERT_EQ(points.rows(), 23U);
  EXPECT_TRUE(std::isnan(value.low[0])) << "the CPUs have no bounds";
  EXPECT_EQ(value.low[3], 1.5);
  EXPECT_EQ(value.high[3], 2.5);
  EXPECT_TRUE(std::isnan(value.numbers[3 + 8])) << "in the gap";
  EXPECT_EQ(points.find(ColumnRole::kUnit)->text[0], "CPUs");
  EXPECT_EQ(points.find(ColumnRole::kUnit)->text[3], "IPC");
}

TEST(Tracks, DetailsOfLanesWithTheSameNameShareAColumn) {
  Tracks tracks = made_up_tracks();
  auto& states = std::get<SpanLane>(tracks.tracks[3].body);
  ReportColumn why = text_column("why", "why");
  for (std::string_view text : {"a", "b", "c", "d"}) {
    why.text.push_back(text);
  }
  states.details.push_back(why);
  Tracks calls = testing::made_up_tracks();
  tracks.tracks.push_back(calls.tracks[2]);
  const std::vector<ShapedTable> tables = as_tables({"t", "T", tracks});
  const Table& spans = part(tables, "t_spans")->table;
  EXPECT_EQ(spans.rows(), 16U);
  EXPECT_EQ(spans.find("cycles")->numbers[10], 60.0 * kMs);
  EXPECT_TRUE(std::isnan(spans.find("cycles")->numbers[8]));
  EXPECT_EQ(spans.find("why")->text[9], "d");
  EXPECT_EQ(spans.find("why")->text[15], "");
}

TEST(Tracks, EmptyPartsAreLeftOut) {
  EXPECT_EQ(as_tables({"t", "T", Tracks()}).size(), 1U);
  EXPECT_EQ(as_tables({"s", "S", Series()}).size(), 1U);
  EXPECT_EQ(as_tables({"s", "S", testing::made_up_ipc()}).size(), 2U) << "with its gap";
}

TEST(Tracks, AStackHasItsFramesOutermostFirst) {
  Tracks tracks = made_up_tracks();
  EXPECT_EQ(frames_of(tracks, 2),
            (std::vector<std::string_view>{"main", "serve<int>", "futex_wait"}));
  EXPECT_TRUE(frames_of(tracks, kNoTrackStack).empty());
}

TEST(Tracks, ASeriesAloneIsATrackWithItsTimes) {
  Series ipc = testing::made_up_ipc();
  ipc.gaps.push_back({25 * kMs, 30 * kMs, "later"});
  Tracks tracks = as_tracks(ipc, "IPC");
  EXPECT_EQ(tracks.begin_ns, 0);
  EXPECT_EQ(tracks.end_ns, 30 * kMs);
  EXPECT_EQ(tracks.tracks[0].title, "IPC");
  EXPECT_EQ(as_tracks(Series(), "").end_ns, 0);
}

TEST(TracksDeathTest, InvariantsAreChecked) {
  Tracks overlapping = made_up_tracks();
  std::get<SpanLane>(overlapping.tracks[2].body).depth[1] = 0;
  EXPECT_DEATH(check_tracks(overlapping), "internal error");
  Tracks unknown_stack = made_up_tracks();
  unknown_stack.arrows[0].stack = 3;
  EXPECT_DEATH(check_tracks(unknown_stack), "internal error");
  Tracks unknown_track = made_up_tracks();
  unknown_track.arrows[0].to = 5;
  EXPECT_DEATH(check_tracks(unknown_track), "internal error");
}

}  // namespace
}  // namespace wick

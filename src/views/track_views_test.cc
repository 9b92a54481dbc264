// SPDX-License-Identifier: Apache-2.0
// Tracks and series in every view that draws them, with made-up data (report/testing.h).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/utf8.h"
#include "report/testing.h"
#include "tests/support/golden.h"
#include "views/track_columns.h"
#include "views/track_sketch.h"
#include "views/views.h"

namespace wick {
namespace {

using testing::kMs;
using testing::made_up_tracks;

std::string written(std::string_view view, const Report& report) {
  const View* found = find_view(view);
  FlagValues flags;
  flags.declare(found->flags);
  std::string text;
  Output out = Output::to_text(text);
  Result<> done = found->write(report, flags, out);
  EXPECT_TRUE(done) << view;
  return text;
}

std::string sketch(const Tracks& tracks, size_t width) {
  std::string text;
  for (const std::string& line : sketch_lines(tracks, {.width = width})) {
    EXPECT_LE(display_columns(line), width) << line;
    text += line + "\n";
  }
  return text;
}

size_t count(std::string_view text, std::string_view part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

// The picture without its style.
std::string drawing(std::string text) {
  size_t begin = text.find("<style>");
  size_t end = text.rfind("</style>\n");
  return text.erase(begin, end + 9 - begin);
}

TEST(TrackViews, SketchesFitTheirWidth) {
  std::string text;
  for (size_t width : {size_t{80}, size_t{100}, size_t{120}}) {
    text += sketch(made_up_tracks(), width) + "\n";
  }
  testing::expect_golden("src/views/testdata/tracks.txt.golden", text);
}

TEST(TrackViews, AllButTheDrawingStaysWithFewColumns) {
  Tracks tracks = made_up_tracks();
  tracks.tracks[0].title = "a thread with a name that is longer than a terminal of this width has";
  sketch(tracks, 40);
}

TEST(TrackViews, TheTerminalAndMarkdownShowTheSketch) {
  Report report = testing::report_of(made_up_tracks());
  EXPECT_EQ(count(written("terminal", report), "wake-up"), 1U);
  EXPECT_EQ(count(written("md", report), "\n    main 7"), 1U);
}

TEST(TrackViews, Picture) {
  Report report = testing::report_of(made_up_tracks());
  report.loss.push_back({.reason = "the ring was full", .what = "samples", .count = 3});
  testing::expect_golden("src/views/testdata/tracks.svg.golden", drawing(written("svg", report)));
}

TEST(TrackViews, ASeriesIsDrawnWithoutTracks) {
  Report report{.title = "IPC", .unit = "cycles"};
  report.sections.push_back({"ipc", "IPC over time", testing::made_up_ipc()});
  std::string picture = drawing(written("svg", report));
  EXPECT_EQ(count(picture, "class=\"band\""), 2U) << "the band and the legend";
  EXPECT_EQ(count(picture, "class=\"gap\""), 2U) << "the gap and the legend";
  EXPECT_GE(count(written("terminal", report), "\u2591"), 2U);
  EXPECT_EQ(count(written("json", report), "\"shape\":\"series\""), 1U);
}

TEST(TrackViews, Json) {
  testing::expect_golden("src/views/testdata/tracks.json.golden",
                         written("json", testing::report_of(made_up_tracks())));
}

TEST(TrackViews, CsvHasATableForEachPart) {
  std::string csv = written("csv", testing::report_of(made_up_tracks()));
  EXPECT_EQ(count(csv, "\n\n"), 6U);
  EXPECT_EQ(count(csv, "track,begin_ns,end_ns,reason\n1,8000000,10000000,the buffer overflowed\n"),
            1U);
  EXPECT_EQ(count(csv, "1,linear,9000000,null,null,null,IPC\n"), 1U);
}

TEST(TrackViews, HostileNamesAreInert) {
  const std::string evil = "</title><script>alert(1)</script>\x1b[31m\xE2\x80\xAE\xFF";
  Tracks tracks = made_up_tracks();
  for (Track& track : tracks.tracks) {
    track.title = evil;
  }
  auto& ipc = std::get<Series>(tracks.tracks[1].body);
  ipc.lines[0].title = ipc.lines[0].unit = ipc.gaps[0].reason = evil;
  auto& calls = std::get<SpanLane>(tracks.tracks[2].body);
  calls.name = {};
  calls.category = {};
  calls.details[0].title = calls.details[0].unit = evil;
  for (size_t i = 0; i < calls.size(); ++i) {
    calls.name.push_back(evil);
    calls.category.push_back(evil);
  }
  auto& marks = std::get<MarkLine>(tracks.tracks[4].body);
  marks.name = {};
  marks.unit = evil;
  for (size_t i = 0; i < marks.size(); ++i) {
    marks.name.push_back(evil);
  }
  tracks.arrows[0].name = evil;
  tracks.stacks.nodes.columns[0].text = {};
  for (size_t i = 0; i < 3; ++i) {
    tracks.stacks.nodes.columns[0].text.push_back(evil);
  }
  Report report = testing::report_of(std::move(tracks));
  std::string picture = drawing(written("svg", report));
  EXPECT_EQ(count(picture, "<script"), 0U);
  for (const std::string& text : {picture, written("terminal", report), written("md", report)}) {
    for (Utf8Cursor cursor(text); !cursor.at_end();) {
      Utf8Char character = cursor.next();
      ASSERT_TRUE(character.valid);
      ASSERT_TRUE(character.code >= 0x20 || character.code == '\n') << character.code;
      ASSERT_NE(character.code, 0x202EU);
    }
  }
}

// What is narrower than a pixel is joined.
TEST(TrackViews, ManySpansMarksAndPointsGiveASmallPicture) {
  Tracks tracks{.end_ns = 1000 * kMs, .tracks = {}};
  SpanLane lane;
  MarkLine marks;
  Series series;
  ReportColumn line = number_column("v", "v");
  for (int64_t i = 0; i < 100'000; ++i) {
    int64_t at = i * 10'000;
    lane.add({.begin_ns = at, .end_ns = at + 5000, .name = i % 3 == 0 ? "a" : "b"});
    marks.add(at, "m", NAN);
    series.time_ns.push_back(at);
    line.numbers.push_back(static_cast<double>(i % 7));
  }
  series.lines.push_back(std::move(line));
  tracks.tracks = {{.title = "lane", .body = std::move(lane)},
                   {.title = "marks", .body = std::move(marks)},
                   {.title = "series", .body = std::move(series)}};
  EXPECT_LT(written("svg", testing::report_of(tracks)).size(), 400'000U);
  std::string text = sketch(tracks, 80);
  EXPECT_EQ(count(text, "\n"), 14U) << text;
}

TEST(TrackViews, AnUnknownValueIsNoZero) {
  Series series{.time_ns = {0, 25, 50, 75}, .lines = {number_column("v", "v")}};
  series.lines[0].numbers = {1, NAN, 0, 1};
  Tracks tracks{.end_ns = 100, .tracks = {{.title = "counter", .body = std::move(series)}}};
  std::string text = sketch(tracks, 80);
  EXPECT_GE(count(text, "\u2588\u2591\u2591\u2591"), 1U) << text;
  EXPECT_GE(count(text, "\u2591   "), 1U) << text;
  EXPECT_EQ(count(text, "\u2591 no data"), 1U) << text;
}

// The sketch, the picture and the page draw what is not known in one way, and say why.
TEST(TrackViews, UnknownValuesAreGapsWithAReason) {
  Series series{
      .time_ns = {20, 40, 60}, .lines = {number_column("v", "v")}, .gaps = {{0, 10, "r"}}};
  series.lines[0].numbers = {1, NAN, 1};
  Tracks tracks{.end_ns = 100, .tracks = {{.title = "counter", .body = std::move(series)}}};
  for (std::string text : {sketch(tracks, 80), written("svg", testing::report_of(tracks))}) {
    EXPECT_EQ(count(text, "o data from 0 s to 10.0 ns: r"), 1U) << text;
    EXPECT_EQ(count(text, "o data from 10.0 ns to 20.0 ns: the value is not known"), 1U) << text;
    EXPECT_EQ(count(text, "o data from 40.0 ns to 60.0 ns: the value is not known"), 1U) << text;
  }
  EXPECT_EQ(count(drawing(written("svg", testing::report_of(tracks))), "class=\"gap\""), 4U)
      << "and in the legend";
}

TEST(TrackViews, APictureHasAThousandTracks) {
  Tracks tracks{.tracks = {}};
  for (size_t i = 0; i < 3000; ++i) {
    tracks.tracks.push_back({.title = fmt::format("thread {}", i), .body = MarkLine()});
  }
  tracks.arrows.push_back({.from = 1, .to = 2000, .name = "to a track that is not drawn"});
  tracks.arrows.push_back({.from = 1, .to = 2, .name = "wake-up"});
  std::string picture = drawing(written("svg", testing::report_of(std::move(tracks))));
  EXPECT_EQ(count(picture, "class=\"track\""), 1000U);
  EXPECT_EQ(count(picture, "class=\"arrow\""), 1U);
  EXPECT_EQ(count(picture, "The first 1,000 of 3,000 tracks are drawn."), 1U);
}

TEST(TrackViews, NarrowBoxesOfAPictureHaveNoScraps) {
  SpanLane lane;
  for (int64_t i = 0; i < 20; ++i) {
    lane.add({.begin_ns = i * 100, .end_ns = i * 100 + 60, .name = i == 7 ? "run" : "a long name"});
  }
  Tracks tracks{.end_ns = 2000, .tracks = {{.title = "calls", .body = std::move(lane)}}};
  std::string picture = drawing(written("svg", testing::report_of(std::move(tracks))));
  EXPECT_EQ(count(picture, ">run</text>"), 2U) << "and in the legend";
  EXPECT_EQ(count(picture, "..</text>"), 0U);
}

TEST(TrackViews, NothingToDrawIsAPictureToo) {
  EXPECT_EQ(count(written("svg", testing::report_of({})), "nothing to draw"), 1U);
  Tracks single{.tracks = {{.title = "t", .body = testing::made_up_marks()}}};
  std::get<MarkLine>(single.tracks[0].body).time_ns = {0, 0, 0};
  EXPECT_EQ(count(written("svg", testing::report_of(single)), "and 2 more"), 1U);
  sketch(single, 80);
}

// Times at both ends of what a number can have: no overflow and no endless loop.
TEST(TrackViews, ExtremeTimes) {
  Tracks tracks{.begin_ns = INT64_MIN / 2, .end_ns = INT64_MAX / 2, .tracks = {}};
  SpanLane lane;
  lane.add({.begin_ns = INT64_MIN / 2, .end_ns = INT64_MAX / 2, .name = "long"});
  tracks.tracks.push_back({.title = "lane", .body = std::move(lane)});
  EXPECT_GE(count(sketch(tracks, 80), "aaaaaaaa"), 1U);
  tracks.begin_ns = tracks.end_ns - 1;
  EXPECT_FALSE(written("svg", testing::report_of(tracks)).empty());
}

TEST(TrackViews, TitlesAndNamesInTheLegendThatDifferHaveLabelsThatDiffer) {
  Tracks tracks{.end_ns = 100, .tracks = {}};
  SpanLane lane;
  for (const char* type : {"first", "other"}) {
    std::string name =
        fmt::format("app::Registry<app::{}::Of<std::vector<int>, {}>>::insert_or_assign",
                    type,
                    std::string(60, 'x'));
    Series series{.time_ns = {0}, .lines = {number_column("v", "v")}};
    series.lines[0].numbers = {1};
    tracks.tracks.push_back({.title = name, .body = std::move(series)});
    int64_t begin = static_cast<int64_t>(lane.size()) * 50;
    lane.add({.begin_ns = begin, .end_ns = begin + 50, .name = name});
  }
  tracks.tracks.push_back({.title = "calls", .body = std::move(lane)});
  std::string text = sketch(tracks, 80);
  EXPECT_EQ(count(text, "[first]"), 2U) << text;
  EXPECT_EQ(count(text, "[other]"), 2U) << text;
  EXPECT_EQ(count(drawing(written("svg", testing::report_of(tracks))), "[other]"), 3U)
      << "the track, the box and the legend";
}

TEST(AllGaps, AreWhereNoLineIsKnownAndNoGapSaysWhy) {
  Series series{.time_ns = {10, 20, 30, 40},
                .lines = {number_column("a", "a"), number_column("b", "b")},
                .gaps = {{22, 26, "reason"}}};
  series.lines[0].numbers = {1, NAN, NAN, NAN};
  series.lines[1].numbers = {NAN, NAN, 1, NAN};
  std::vector<std::pair<int64_t, int64_t>> times;
  for (const Gap& gap : all_gaps(series, {.end_ns = 50, .tracks = {}})) {
    times.emplace_back(gap.begin_ns, gap.end_ns);
  }
  EXPECT_EQ(
      times,
      (std::vector<std::pair<int64_t, int64_t>>{{0, 10}, {20, 22}, {22, 26}, {26, 30}, {40, 50}}));
}

TEST(LineColumns, HaveTheMeanAndTheWidestBounds) {
  Series series{.time_ns = {0, 5, 10, 15}, .lines = {}};
  ReportColumn line = number_column("v", "v");
  line.numbers = {1, 3, NAN, 7};
  line.low = {0, 2, NAN, 7};
  line.high = {2, 9, NAN, 7};
  LineColumns columns = line_columns(series, line, {.begin_ns = 0, .end_ns = 20, .columns = 2});
  EXPECT_EQ(columns.value, (std::vector<double>{2, 7}));
  EXPECT_EQ(columns.low, (std::vector<double>{0, 7}));
  EXPECT_EQ(columns.high, (std::vector<double>{9, 7}));
  columns = line_columns(series, line, {.begin_ns = 0, .end_ns = 20, .columns = 4});
  EXPECT_TRUE(std::isnan(columns.value[2]));
}

TEST(Values, HaveTheirUnitInTheSingular) {
  EXPECT_EQ(value_text(in_unit("CPUs", number_column("v", "v")), 0.99997), "1 CPU");
  EXPECT_EQ(value_text(in_unit("CPUs", number_column("v", "v")), 1.5), "1.5 CPUs");
  EXPECT_EQ(value_text(in_unit("ms", number_column("v", "v")), 1), "1 ms");
  EXPECT_EQ(value_text(in_unit("nanoseconds", number_column("v", "v")), 2.5e9), "2.50 s");
  EXPECT_EQ(value_text(in_unit("bytes", number_column("v", "v")), 3 << 20), "3.00 MiB");
}

TEST(Scales, AreSharedWhereTracksSaySo) {
  Tracks tracks;
  for (double most : {1.0, 4.0, 100.0}) {
    Series series{
        .time_ns = {0}, .lines = {}, .scale = most < 10 ? ScaleGroup::kParts : ScaleGroup::kSums};
    series.lines.push_back(in_unit("CPUs", number_column("v", "v")));
    series.lines[0].numbers = {most};
    tracks.tracks.push_back({.title = "t", .body = std::move(series)});
  }
  std::vector<ValueScale> scales = scales_of(tracks);
  EXPECT_EQ(scales[0].high, 4);
  EXPECT_EQ(scales[1].high, 4);
  EXPECT_EQ(scales[2].high, 100);
}

}  // namespace
}  // namespace wick

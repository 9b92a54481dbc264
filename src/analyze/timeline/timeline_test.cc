// SPDX-License-Identifier: Apache-2.0
#include "analyze/timeline/timeline.h"

#include <numeric>

#include <gtest/gtest.h>

#include "analyze/timeline/lane_depths.h"
#include "analyze/timeline/spread.h"
#include "profile/builder.h"

namespace wick {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kStart = 50'000 * kMs;

// Two processes. Thread 1 runs all 100 ms on CPU 0, thread 2 of the other process the second half
// on CPU 1; a sample each millisecond, at its end.
struct Recording {
  ProfileBuilder builder;
  ThreadId first;
  ThreadId second;
  StackId stack;

  Recording() {
    builder.event({.name = builder.string("cpu-clock"), .unit = builder.string("nanoseconds")});
    first = thread(1, "main");
    second = thread(2, "other");
    FunctionId main = builder.function({.name = builder.string("main")});
    stack = builder.stack(kEmptyStack, builder.frame({.function = main}));
    for (int64_t ms = 0; ms <= 100; ++ms) {
      sample(first, ms, 0);
      if (ms > 50) {
        sample(second, ms, 1);
      }
    }
  }

  ThreadId thread(int64_t tid, std::string_view name) {
    ProcessId process = builder.process({.pid = tid, .name = builder.string(name)});
    return builder.thread({.tid = tid, .process = process, .name = builder.string(name)});
  }

  void sample(ThreadId of, int64_t ms, uint16_t cpu) {
    builder.add_sample(
        {.time_ns = kStart + ms * kMs, .weight = kMs, .stack = stack, .thread = of, .cpu = cpu});
  }

  Span span(int64_t begin_ms, int64_t end_ms, std::string_view name, ThreadId of) {
    return {.begin_ns = kStart + begin_ms * kMs,
            .end_ns = kStart + end_ms * kMs,
            .thread = of,
            .name = builder.string(name)};
  }

  Report report(TimelineOptions options = {.points = 10}) {
    return timeline(builder.finish(), options);
  }
};

const Tracks& tracks_of(const Report& report) {
  return std::get<Tracks>(report.sections[0].body);
}

std::vector<std::string> titles(const Report& report) {
  std::vector<std::string> titles;
  for (const Track& track : tracks_of(report).tracks) {
    titles.push_back(std::string(track.level, ' ') + track.title);
  }
  return titles;
}

const std::vector<double>& values(const Report& report, size_t track) {
  return std::get<Series>(tracks_of(report).tracks[track].body).lines[0].numbers;
}

// A value holds to the next one.
double value_at(const Report& report, size_t track, int64_t time) {
  const auto& series = std::get<Series>(tracks_of(report).tracks[track].body);
  auto next = std::ranges::upper_bound(series.time_ns, time);
  return series.lines[0].numbers[static_cast<size_t>(next - series.time_ns.begin()) - 1];
}

TEST(Timeline, ThreadsAreFlatAreasInCpusBelowTheirProcess) {
  Recording recording;
  ThreadId third = recording.builder.thread(
      {.tid = 3, .process = ProcessId(1), .name = recording.builder.string("pool")});
  recording.sample(third, 10, 1);
  Report report = recording.report();
  EXPECT_EQ(titles(report),
            (std::vector<std::string>{"main 1", "other 2", " other 2 (main thread)", " pool 3"}))
      << "a process of one thread has no row of its own";
  for (double cpus : values(report, 0)) {
    EXPECT_NEAR(cpus, 1, 1e-9);  // the first sample represents the time before it
  }
  EXPECT_NEAR(value_at(report, 2, 45 * kMs), 0, 1e-9);
  EXPECT_NEAR(value_at(report, 2, 55 * kMs), 1, 1e-9);
  EXPECT_EQ(tracks_of(report).end_ns, 100 * kMs);
}

TEST(Timeline, ThreadsAndProcessesOfOneNameAndNumberHaveTitlesThatDiffer) {
  Recording recording;
  ProfileBuilder& builder = recording.builder;
  for (int64_t begin : {10, 20}) {
    ProcessId process = builder.process(
        {.pid = 7, .name = builder.string("bash"), .begin_ns = kStart + begin * kMs});
    for (int64_t tid : {7, 8}) {
      recording.sample(builder.thread({.tid = tid,
                                       .process = process,
                                       .name = builder.string("bash"),
                                       .begin_ns = kStart + begin * kMs}),
                       begin + tid,
                       2);
    }
  }
  EXPECT_EQ(titles(recording.report()),
            (std::vector<std::string>{"main 1",
                                      "other 2",
                                      "bash 7",
                                      " bash 7 (main thread)",
                                      " bash 8",
                                      "bash 7 (2)",
                                      " bash 7 (2) (main thread)",
                                      " bash 8 (2)"}));
}

// What is drawn adds up to what was sampled, without the time before the first sample: 1 ms, and
// 1 ms more because a CPU is never busier than one CPU.
TEST(Timeline, NoWeightIsMissing) {
  for (size_t most : {size_t{1}, size_t{20}}) {
    Recording recording;
    recording.sample(ThreadId(), 70, 0);
    Report report = recording.report({.points = 7, .most_threads = most});
    double sum = 0;
    for (const Track& track : tracks_of(report).tracks) {
      const auto& numbers = std::get<Series>(track.body).lines[0].numbers;
      sum += std::accumulate(numbers.begin(), numbers.end(), 0.0);
    }
    EXPECT_NEAR(sum * 100 / 7, 150, 1e-6) << most;
  }
}

// In finer steps.
TEST(Timeline, TheFirstAndTheLastStepAreNoPeaks) {
  Report fine = Recording().report({.points = 1000});
  for (double cpus : values(fine, 0)) {
    EXPECT_NEAR(cpus, 1, 1e-9);
  }
  ProfileBuilder builder;
  builder.event({.name = builder.string("time"), .unit = builder.string("nanoseconds")});
  for (int64_t time : {0, 100, 110, 400}) {
    int64_t length = time == 100 ? 10 : time == 110 ? 290 : 100;
    builder.add_sample({.time_ns = time, .weight = length, .cpu = 0});
  }
  Report trace = timeline(builder.finish(), {.points = 50});
  EXPECT_EQ(tracks_of(trace).end_ns, 500) << "the end of the last span";
  for (double cpus : values(trace, 0)) {
    EXPECT_NEAR(cpus, 1, 1e-9);
  }
}

TEST(Timeline, WhoHoldsTheLockOfAnInterpreterIsALane) {
  Recording recording;
  ProfileBuilder& builder = recording.builder;
  ProcessId process = builder.process({.pid = 9, .name = builder.string("python3")});
  auto thread = [&](int64_t tid, std::string_view name) {
    return builder.thread({.tid = tid, .process = process, .name = builder.string(name)});
  };
  ThreadId one = thread(91, "one");
  ThreadId two = thread(92, "two");
  auto sample = [&](ThreadId of, int64_t ms, std::string_view use) {
    LabelId label = builder.label({.key = builder.string("gil"), .text = builder.string(use)});
    std::vector<LabelId> labels = {label};
    builder.add_sample({.time_ns = kStart + ms * kMs,
                        .weight = kMs,
                        .stack = recording.stack,
                        .thread = of,
                        .labels = builder.label_set(labels)});
  };
  for (int64_t ms = 1; ms <= 100; ++ms) {
    bool is_first = ms <= 30;
    sample(one, ms, is_first ? "holds" : "free");
    if (ms > 60) {
      sample(two, ms, ms > 80 ? "holds, others ask" : "holds");
    } else {
      sample(two, ms, is_first ? "other holds" : "free");
    }
  }
  Report report = recording.report();
  const Tracks& tracks = std::get<Tracks>(report.sections.at(0).body);
  auto lock = std::ranges::find(tracks.tracks, "GIL of python3 9", &Track::title);
  ASSERT_NE(lock, tracks.tracks.end());
  EXPECT_EQ(lock->level, 1U);
  const SpanLane& lane = std::get<SpanLane>(lock->body);
  ASSERT_EQ(lane.size(), 2U);
  EXPECT_EQ(lane.name[0], "one 91");
  EXPECT_EQ(lane.name[1], "two 92");
  EXPECT_EQ(lane.begin_ns[0], 0);
  EXPECT_EQ(lane.end_ns[0], 30 * kMs);
  EXPECT_EQ(lane.begin_ns[1], 60 * kMs);
  EXPECT_EQ(lane.end_ns[1], 100 * kMs);
}

TEST(Timeline, OtherThreadsShareATrack) {
  Report report = Recording().report({.points = 4, .most_threads = 1});
  EXPECT_EQ(titles(report), (std::vector<std::string>{"main 1", "1 other thread"}));
  EXPECT_NEAR(value_at(report, 1, 80 * kMs), 1, 1e-9);
}

// The sum of a hundred threads would leave the others a pixel each.
TEST(Timeline, SumsHaveAScaleOfTheirOwn) {
  Report report = Recording().report({.points = 4, .most_threads = 1});
  auto scale = [&](size_t track) {
    return std::get<Series>(tracks_of(report).tracks[track].body).scale;
  };
  EXPECT_EQ(scale(0), ScaleGroup::kParts);
  EXPECT_EQ(scale(1), ScaleGroup::kSums);
}

// Of many threads each is busy for a moment: their tracks have points there only.
TEST(Timeline, ManyThreadsHaveFewPoints) {
  constexpr size_t kThreads = 2000;
  ProfileBuilder builder;
  builder.event({.name = builder.string("time"), .unit = builder.string("nanoseconds")});
  for (size_t i = 0; i < kThreads; ++i) {
    auto tid = static_cast<int64_t>(i);
    ThreadId thread = builder.thread({.tid = tid});
    builder.add_sample({.time_ns = (tid + 1) * kMs, .weight = kMs, .thread = thread, .cpu = 0});
  }
  Report report = timeline(builder.finish(), {.points = 400, .most_threads = 0});
  size_t points = 0;
  for (const Track& track : tracks_of(report).tracks) {
    points += std::get<Series>(track.body).time_ns.size();
  }
  EXPECT_EQ(tracks_of(report).tracks.size(), kThreads);
  EXPECT_LT(points, 5 * kThreads);
}

TEST(Timeline, SpansNestAndHaveTheirStacks) {
  Recording recording;
  Span outer = recording.span(10, 60, "request", recording.first);
  outer.stack = recording.stack;
  SpanId parent = recording.builder.add_span(outer);
  Span inner = recording.span(20, 30, "parse", recording.first);
  inner.parent = parent;
  recording.builder.add_span(inner);
  recording.builder.add_span(recording.span(70, 80, "request", recording.first));
  Report report = recording.report();
  const auto& lane = std::get<SpanLane>(tracks_of(report).tracks[1].body);
  EXPECT_EQ(lane.depth, (std::vector<uint32_t>{0, 1, 0}));
  EXPECT_EQ(lane.name[1], "parse");
  EXPECT_EQ(lane.begin_ns[1], 20 * kMs);
  EXPECT_EQ(frames_of(tracks_of(report), lane.stack[0]), (std::vector<std::string_view>{"main"}));
  EXPECT_EQ(lane.stack[1], kNoTrackStack);
}

TEST(Timeline, AWakerIsAnArrowToTheEndOfTheWait) {
  Recording recording;
  Span wait = recording.span(10, 40, "futex", recording.second);
  wait.kind = SpanKind::kOffCpu;
  wait.waker = recording.first;
  wait.waker_stack = recording.stack;
  recording.builder.add_span(wait);
  Report report = recording.report();
  ASSERT_EQ(tracks_of(report).arrows.size(), 1U);
  const TrackArrow& arrow = tracks_of(report).arrows[0];
  EXPECT_EQ(tracks_of(report).tracks[arrow.from].title, "main 1");
  EXPECT_EQ(tracks_of(report).tracks[arrow.to].title, "other 2");
  EXPECT_EQ(arrow.to_ns, 40 * kMs);
  EXPECT_EQ(std::get<SpanLane>(tracks_of(report).tracks[2].body).state[0], SpanState::kBlocked);
}

TEST(Timeline, CountersHaveBandsAndMarksTheirValues) {
  Recording recording;
  SeriesId heap = recording.builder.series(
      {.name = recording.builder.string("heap"), .unit = recording.builder.string("bytes")});
  recording.builder.add_counter({.time_ns = kStart + 20 * kMs, .series = heap, .value = 2});
  recording.builder.add_counter(
      {.time_ns = kStart + 10 * kMs, .series = heap, .value = 1, .low = 0, .high = 3});
  recording.builder.add_mark({.time_ns = kStart,
                              .name = recording.builder.string("start"),
                              .value = 7,
                              .has_value = true});
  recording.builder.add_mark({.time_ns = kStart - 1, .name = recording.builder.string("before")});
  Report report = recording.report();
  const Track& counter = tracks_of(report).tracks[2];
  EXPECT_EQ(counter.title, "heap");
  const auto& line = std::get<Series>(counter.body).lines[0];
  EXPECT_EQ(line.numbers, (std::vector<double>{1, 2}));
  EXPECT_EQ(line.high[0], 3);
  EXPECT_TRUE(std::isnan(line.high[1]));
  const auto& marks = std::get<MarkLine>(tracks_of(report).tracks[3].body);
  EXPECT_EQ(marks.size(), 1U);
  EXPECT_EQ(marks.value[0], 7);
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_EQ(report.notes[0].substr(0, 29), "1 span, mark or point is befo");
}

TEST(Timeline, LostDataAreATrack) {
  Recording recording;
  LossId loss = recording.builder.add_loss({.reason = "the ring was full", .count = 5});
  for (int64_t cpu : {0, 1}) {
    recording.builder.add_loss_moment({.loss = loss,
                                       .begin_ns = kStart + 10 * kMs,
                                       .end_ns = kStart + 20 * kMs,
                                       .cpu = static_cast<uint16_t>(cpu),
                                       .count = 2});
  }
  Report report = recording.report();
  const Track& lost = tracks_of(report).tracks.back();
  EXPECT_EQ(lost.title, "lost data");
  const auto& lane = std::get<SpanLane>(lost.body);
  EXPECT_EQ(lane.name[0], "2 samples: the ring was full");
  EXPECT_EQ(lane.end_ns[0], 20 * kMs);
}

TEST(Timeline, PausesOfTheRecordingAreGaps) {
  ProfileBuilder builder;
  builder.event(
      {.name = builder.string("tick"), .unit = builder.string("samples"), .interval_ns = 1000});
  for (int64_t tick : {0, 1, 2, 200, 201}) {
    builder.add_sample({.time_ns = 1000 * tick, .cpu = 0});
  }
  Report report = timeline(builder.finish(), {.points = 10});
  const auto& series = std::get<Series>(tracks_of(report).tracks[0].body);
  ASSERT_EQ(series.gaps.size(), 1U);
  EXPECT_EQ(series.gaps[0].begin_ns, 2000);
  EXPECT_EQ(series.gaps[0].end_ns, 200'000);
  EXPECT_EQ(series.lines[0].unit, "samples/s");
}

TEST(Timeline, TimesMayBeFurtherApartThanANumberCanSay) {
  constexpr int64_t kFar = 8'000'000'000'000'000'000;
  ProfileBuilder builder;
  builder.event({.name = builder.string("time"), .unit = builder.string("nanoseconds")});
  for (int64_t time : {-kFar, kFar}) {
    builder.add_sample({.time_ns = time, .weight = 5});
    builder.add_span({.begin_ns = time, .end_ns = kFar, .name = builder.string("span")});
    builder.add_mark({.time_ns = time, .name = builder.string("mark")});
  }
  Report report = timeline(builder.finish(), {.points = 10});
  EXPECT_EQ(tracks_of(report).end_ns, INT64_MAX);
  EXPECT_EQ(titles(report), (std::vector<std::string>{"[unknown thread]", "region", "marks"}));
  EXPECT_EQ(report.notes[0], "The samples span more than 292 years; what is later is left out.");
}

TEST(Timeline, WithoutTimesItSaysSo) {
  ProfileBuilder builder;
  builder.event({.name = builder.string("samples"), .unit = builder.string("samples")});
  builder.add_sample({});
  Report report = timeline(builder.finish(), {});
  EXPECT_TRUE(tracks_of(report).tracks.empty());
  EXPECT_EQ(report.notes[0], "The samples have no times, so there is nothing to show over time.");
}

TEST(Timeline, WithoutAnythingInTimeItSaysSo) {
  ProfileBuilder builder;
  builder.event({.name = builder.string("samples"), .unit = builder.string("samples")});
  builder.add_mark({.time_ns = kNoTime, .name = builder.string("a mark without a time")});
  Report report = timeline(builder.finish(), {});
  EXPECT_EQ(
      report.notes[0],
      "There are no samples, and no spans, marks or counters with a time, so there is nothing "
      "to show over time.");
}

TEST(Timeline, MarksSpansAndCountersNeedNoSamples) {
  ProfileBuilder builder;
  builder.event({.name = builder.string("samples"), .unit = builder.string("samples")});
  SeriesId heap = builder.series({.name = builder.string("heap"), .unit = builder.string("bytes")});
  builder.add_span({.begin_ns = kStart, .end_ns = kStart + 9 * kMs, .name = builder.string("s")});
  builder.add_mark({.time_ns = kStart + 5 * kMs, .name = builder.string("m")});
  builder.add_counter({.time_ns = kStart + 8 * kMs, .series = heap, .value = 2});
  Report report = timeline(builder.finish(), {});
  EXPECT_EQ(titles(report), (std::vector<std::string>{"region", "heap", "marks"}));
  EXPECT_EQ(tracks_of(report).end_ns, 9 * kMs);
  EXPECT_EQ(std::get<MarkLine>(tracks_of(report).tracks[2].body).time_ns[0], 5 * kMs);
  EXPECT_TRUE(report.notes.empty());
}

TEST(Timeline, SpansHaveTheTitleThatTheyShareAndTheirThreadIfItDoesNotTell) {
  Recording recording;
  recording.builder.add_span(recording.span(10, 20, "parse", recording.first));
  EXPECT_EQ(titles(recording.report())[1], " parse");
  Recording two;
  for (ThreadId thread : {two.first, two.second}) {
    two.builder.add_span(two.span(10, 20, "parse", thread));
    two.builder.add_span(two.span(30, 40, "reply", thread));
  }
  EXPECT_EQ(
      titles(two.report()),
      (std::vector<std::string>{"main 1", " region of main 1", "other 2", " region of other 2"}));
}

TEST(PlaceSpans, SpansOfOneRowDoNotOverlap) {
  ProfileBuilder builder;
  for (auto [begin, end] : {std::pair(0, 10), {5, 15}, {12, 20}, {0, 3}, {20, 20}, {20, 25}}) {
    builder.add_span({.begin_ns = begin, .end_ns = end});
  }
  Profile profile = builder.finish();
  std::vector<size_t> rows(profile.spans.size());
  std::iota(rows.begin(), rows.end(), size_t{0});
  PlacedSpans placed = place_spans(profile, rows);
  std::string text;
  for (const PlacedSpan& span : placed.spans) {
    text += fmt::format("{}:{} ", span.row, span.depth);
  }
  EXPECT_EQ(text, "0:0 3:1 1:1 2:0 5:0 4:1 ");
}

TEST(PlaceSpans, TooManyAtOnceAreCounted) {
  ProfileBuilder builder;
  for (int64_t i = 0; i < 300; ++i) {
    builder.add_span({.begin_ns = i, .end_ns = 1000});
  }
  Profile profile = builder.finish();
  std::vector<size_t> rows(profile.spans.size());
  std::iota(rows.begin(), rows.end(), size_t{0});
  EXPECT_EQ(place_spans(profile, rows).left_out, 44U);
}

// A trace writes a sample at the begin of the time that it represents.
TEST(Spread, SamplesThatOverlapLessForwardBeginAtTheirTime) {
  ProfileBuilder builder;
  builder.event({.name = builder.string("time"), .unit = builder.string("nanoseconds")});
  for (int64_t time : {0, 100, 110, 400}) {
    int64_t length = time == 0 ? 100 : time == 100 ? 10 : time == 110 ? 290 : 50;
    builder.add_sample({.time_ns = time, .weight = length, .cpu = 0});
  }
  std::vector<SpreadRow> spread = spread_samples(builder.finish());
  EXPECT_EQ(spread[2].begin_ns, 110);
  EXPECT_EQ(spread[2].end_ns, 400);
}

}  // namespace
}  // namespace wick

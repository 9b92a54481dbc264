// SPDX-License-Identifier: Apache-2.0
// The page spreads samples over time itself, because filters change what it draws. This test writes
// a table of the times that the C++ side computes; web/test/spread.test.ts compares the page with
// it. If a rule changes, the table changes, and the page must follow.
#include <algorithm>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "analyze/timeline/spread.h"
#include "analyze/timeline/timeline.h"
#include "base/json_writer.h"
#include "profile/builder.h"
#include "tests/support/golden.h"

namespace wick {
namespace {

constexpr size_t kSteps = 10;

struct Sampled {
  int64_t time = 0;
  int64_t weight = 0;
  int64_t thread = 0;  // -1: unknown
  int64_t cpu = -1;    // -1: unknown
};

struct SpanBegin {
  int64_t time = 0;
  int64_t thread = 0;
};

struct Case {
  std::string_view what;
  std::string_view unit;
  std::vector<Sampled> samples;  // in the order of time
  std::vector<SpanBegin> spans = {};
  uint32_t scale = 1;
};

Profile profile_of(const Case& given) {
  ProfileBuilder builder;
  builder.event(
      {.name = builder.string("event"), .unit = builder.string(given.unit), .scale = given.scale});
  ProcessId process = builder.process({.pid = 1, .name = builder.string("p")});
  std::vector<ThreadId> threads;
  for (int64_t tid : {1, 2, 3, 4}) {
    threads.push_back(
        builder.thread({.tid = tid, .process = process, .name = builder.string("t")}));
  }
  for (const Sampled& sample : given.samples) {
    builder.add_sample(
        {.time_ns = sample.time,
         .weight = sample.weight,
         .thread = sample.thread < 0 ? ThreadId() : threads[static_cast<size_t>(sample.thread)],
         .cpu = sample.cpu < 0 ? kNoCpu : static_cast<uint16_t>(sample.cpu)});
  }
  for (const SpanBegin& span : given.spans) {
    builder.add_span({.begin_ns = span.time,
                      .end_ns = span.time + 1,
                      .thread = threads[static_cast<size_t>(span.thread)],
                      .name = builder.string("span")});
  }
  return builder.finish();
}

// Timers of three CPUs that are late by chance; threads move between them.
std::vector<Sampled> late_timers(int64_t weight) {
  std::vector<Sampled> samples;
  uint32_t random = 1;
  for (int64_t i = 0; i < 60; ++i) {
    random = random * 1664525 + 1013904223;
    int64_t late = random >> 24;
    samples.push_back({.time = 1000 * (i / 3) + (i < 3 ? 0 : 200 * (i % 3) + late / 2),
                       .weight = weight,
                       .thread = (i + late) % 4,
                       .cpu = i % 3});
  }
  std::ranges::stable_sort(samples, {}, &Sampled::time);
  return samples;
}

std::vector<Case> cases() {
  return {
      {"late timers of CPUs", "nanoseconds", late_timers(1000)},
      {"a weight with a scale", "nanoseconds", late_timers(1'000'000), {}, 1000},
      {"more than there is", "nanoseconds", late_timers(9000)},
      {"threads that wait", "nanoseconds", {{0, 10, 0}, {3, 10, 1}, {40, 10, 0}, {44, 10, 0}}},
      {"one sample at the begin", "nanoseconds", {{0, 50, 0}, {20, 50, 1}, {100, 50, 1}}},
      {"little room after the begin", "nanoseconds", {{0, 50, 0}, {70, 50, 0}, {120, 50, 0}}},
      {"a trace", "nanoseconds", {{0, 100, 0, 0}, {100, 10, 0, 0}, {110, 290, 0, 0}, {400, 50, 0}}},
      {"samples that are spans",
       "nanoseconds",
       {{0, 10, 0}, {50, 30, 0}, {90, 5, 1}, {200, 80, 0}},
       {{0, 0}, {50, 0}, {90, 1}, {200, 0}}},
      {"gaps of CPUs", "cycles", late_timers(7)},
      {"a long pause", "cycles", {{0, 7, 0}, {10, 7, 0}, {20, 7, 0}, {30, 7, 0}, {900, 7, 0}}},
      {"several of one time",
       "samples",
       {{0, 1, 0}, {0, 1, 0}, {0, 1, 1}, {20, 1, 0}, {20, 1, 0}, {40, 1, 0}, {45, 1, 1}}},
      {"the first at the begin, and one more at once",
       "samples",
       {{0, 1, 0}, {0, 1, 0}, {0, 1, 1}, {5, 1, -1}, {100, 1, 0}, {110, 1, 0}, {120, 1, 0}}},
      {"a thread for each", "samples", {{0, 1, 0}, {10, 1, 1}, {20, 1, 2}, {30, 1, -1}}},
  };
}

// Ten digits: the last ones differ between machines.
void write_numbers(JsonWriter& json, const std::vector<double>& numbers) {
  json.begin_array();
  for (double number : numbers) {
    json.raw(fmt::format("{:.10g}", number));
  }
  json.end_array();
}

// The value in the middle of each step. A value holds to the next point.
std::vector<double> by_step(const Series& series, int64_t duration) {
  std::vector<double> values;
  size_t point = 0;
  for (size_t step = 0; step < kSteps; ++step) {
    double middle = (static_cast<double>(step) + 0.5) * static_cast<double>(duration) / kSteps;
    while (point + 1 < series.time_ns.size() &&
           static_cast<double>(series.time_ns[point + 1]) <= middle) {
      ++point;
    }
    values.push_back(series.lines[0].numbers[point]);
  }
  return values;
}

// Of all threads together, by step.
std::vector<double> activity_of(const Tracks& tracks) {
  std::vector<double> sum(kSteps);
  for (const Track& track : tracks.tracks) {
    if (const auto* series = std::get_if<Series>(&track.body)) {
      std::ranges::transform(sum, by_step(*series, tracks.end_ns), sum.begin(), std::plus());
    }
  }
  return sum;
}

void write_case(JsonWriter& json, const Case& given) {
  json.newline();
  json.begin_object();
  json.field("what", given.what);
  json.field("unit", given.unit);
  json.field("scale", uint64_t{given.scale});
  json.newline();
  json.key("samples");  // time, weight, thread, CPU
  json.begin_array();
  for (const auto& [time, weight, thread, cpu] : given.samples) {
    write_numbers(json,
                  {static_cast<double>(time),
                   static_cast<double>(weight),
                   static_cast<double>(thread),
                   static_cast<double>(cpu)});
  }
  json.end_array();
  json.key("spans");  // begin, thread
  json.begin_array();
  for (const auto& [time, thread] : given.spans) {
    write_numbers(json, {static_cast<double>(time), static_cast<double>(thread)});
  }
  json.end_array();
  Profile profile = profile_of(given);
  std::vector<std::vector<double>> times(given.samples.size());
  for (const SpreadRow& row : spread_samples(profile)) {
    times[row.row] = {row.begin_ns, row.end_ns};
  }
  json.newline();
  json.key("times");  // begin, end
  json.begin_array();
  for (const std::vector<double>& time : times) {
    write_numbers(json, time);
  }
  json.end_array();
  Report report = timeline(profile, {.points = kSteps, .most_threads = 0});
  const auto& tracks = std::get<Tracks>(report.sections[0].body);
  json.newline();
  json.field("duration", tracks.end_ns);
  json.key("activity");
  write_numbers(json, activity_of(tracks));
  json.end_object();
}

TEST(SpreadTable, IsWhatThePageIsHeldAgainst) {
  std::string text;
  Output out = Output::to_text(text);
  JsonWriter json(out);
  json.begin_array();
  for (const Case& given : cases()) {
    write_case(json, given);
  }
  json.end_array();
  ASSERT_TRUE(out.finish());
  testing::expect_golden("web/test/spread.json", text + "\n");
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Tracks with made-up data, for tests: what IPC over time, calls of a trace, waiting and wake-ups
// will have.
#pragma once

#include <cmath>
#include <string_view>

#include "report/columns.h"
#include "report/report.h"

namespace wick::testing {

inline constexpr int64_t kMs = 1'000'000;

// 0: main, 1: main > serve, 2: main > serve > futex
inline Tree made_up_stacks() {
  Tree stacks{.nodes = {.columns = {name_column("function")}}, .parent = {0, 0, 1}};
  for (std::string_view name : {"main", "serve<int>", "futex_wait"}) {
    stacks.nodes.columns[0].text.push_back(name);
  }
  return stacks;
}

// Bounds and a value each millisecond from 0 to 20 ms; the trace lost 8 to 10 ms.
inline Series made_up_ipc() {
  Series ipc{.time_ns = {}, .lines = {}, .gaps = {{8 * kMs, 10 * kMs, "the buffer overflowed"}}};
  ReportColumn line = in_unit("IPC", number_column("linear", "linear"));
  for (int64_t i = 0; i < 20; ++i) {
    bool is_known = i < 8 || i >= 10;
    double value = is_known ? 2 + std::sin(static_cast<double>(i)) : NAN;
    ipc.time_ns.push_back(i * kMs);
    line.numbers.push_back(value);
    line.low.push_back(value - 0.5);
    line.high.push_back(value + 0.5);
  }
  ipc.lines.push_back(std::move(line));
  return ipc;
}

inline SpanLane made_up_calls() {
  SpanLane calls;
  ReportColumn cycles = count_column("cycles", "cycles");
  auto call = [&](int64_t begin, int64_t end, uint32_t depth, const char* name, uint32_t stack) {
    calls.add({.begin_ns = begin,
               .end_ns = end,
               .depth = depth,
               .name = name,
               .category = "call",
               .stack = stack});
    cycles.numbers.push_back(3 * static_cast<double>(end - begin));
  };
  call(0, 20 * kMs, 0, "main", 0);
  call(kMs, 9 * kMs, 1, "serve<int>", 1);
  call(2 * kMs, 2 * kMs + 1000, 2, "lock", 1);
  call(2 * kMs + 2000, 2 * kMs + 3000, 2, "lock", 1);
  call(3 * kMs, 6 * kMs, 2, "parse", 1);
  call(12 * kMs, 19 * kMs, 1, "reply", 0);
  calls.details.push_back(std::move(cycles));
  return calls;
}

inline SpanLane made_up_states() {
  SpanLane states;
  auto state = [&](int64_t begin, int64_t end, SpanState own, const char* name, uint32_t stack) {
    states.add({.begin_ns = begin * kMs,
                .end_ns = end * kMs,
                .state = own,
                .name = name,
                .category = own == SpanState::kBlocked ? "lock" : "",
                .stack = stack});
  };
  state(0, 5, SpanState::kRunning, "", kNoTrackStack);
  state(5, 14, SpanState::kBlocked, "queue mutex", 2);
  state(14, 15, SpanState::kReady, "", kNoTrackStack);
  state(15, 20, SpanState::kRunning, "", kNoTrackStack);
  return states;
}

inline MarkLine made_up_marks() {
  MarkLine marks;
  marks.unit = "s";
  marks.add(2 * kMs, "request 1", 21.5);
  marks.add(2 * kMs + 1000, "request 2", NAN);
  marks.add(16 * kMs, "request 3", 22.5);
  return marks;
}

inline Tracks made_up_tracks() {
  Tracks tracks{.begin_ns = 0, .end_ns = 20 * kMs, .tracks = {}, .stacks = made_up_stacks()};
  Series running{.time_ns = {0, 5 * kMs, 15 * kMs}, .lines = {}, .scale = ScaleGroup::kParts};
  running.lines.push_back(in_unit("CPUs", number_column("activity", "CPUs")));
  running.lines[0].numbers = {1, 0, 0.5};
  tracks.tracks.push_back({.title = "main 7", .body = running});
  tracks.tracks.push_back({.title = "IPC", .level = 1, .body = made_up_ipc()});
  tracks.tracks.push_back({.title = "calls", .level = 1, .body = made_up_calls()});
  tracks.tracks.push_back({.title = "worker 8", .body = made_up_states()});
  tracks.tracks.push_back({.title = "requests", .body = made_up_marks()});
  tracks.arrows.push_back(
      {.from = 2, .to = 3, .from_ns = 13 * kMs, .to_ns = 14 * kMs, .name = "wake-up", .stack = 1});
  check_tracks(tracks);
  return tracks;
}

inline Report report_of(Tracks tracks) {
  Report report{.title = "Timeline", .unit = "nanoseconds", .verb = "timeline"};
  report.sections.push_back({"tracks", "Timeline", std::move(tracks)});
  return report;
}

}  // namespace wick::testing

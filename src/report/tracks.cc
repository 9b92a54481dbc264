// SPDX-License-Identifier: Apache-2.0
#include "report/tracks.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/check.h"

namespace wick {
namespace {

// In the order of the alternatives of Track::body, and of the enumerators.
constexpr std::array<std::string_view, 3> kKindNames = {"series", "spans", "marks"};
constexpr std::array<std::string_view, 4> kStateNames = {"work", "running", "ready", "blocked"};

void check(const Series& series) {
  CHECK(std::ranges::is_sorted(series.time_ns));
  for (const ReportColumn& line : series.lines) {
    CHECK(line.size() == series.time_ns.size());
    CHECK(line.low.size() == line.high.size());
    CHECK(line.low.empty() || line.low.size() == line.numbers.size());
  }
}

void check(const SpanLane& lane) {
  std::map<uint32_t, int64_t> ends;  // by depth
  for (size_t span = 0; span < lane.size(); ++span) {
    CHECK(lane.begin_ns[span] <= lane.end_ns[span]);
    CHECK(span == 0 || lane.begin_ns[span - 1] <= lane.begin_ns[span]);
    auto [last, is_first] = ends.try_emplace(lane.depth[span], lane.begin_ns[span]);
    CHECK(last->second <= lane.begin_ns[span]);
    last->second = lane.end_ns[span];
  }
  for (const ReportColumn& detail : lane.details) {
    CHECK(detail.size() == lane.size());
  }
}

void check(const MarkLine& marks) {
  CHECK(std::ranges::is_sorted(marks.time_ns));
}

}  // namespace

void SpanLane::add(const TrackSpan& span) {
  begin_ns.push_back(span.begin_ns);
  end_ns.push_back(span.end_ns);
  depth.push_back(span.depth);
  state.push_back(span.state);
  name.push_back(span.name);
  category.push_back(span.category);
  stack.push_back(span.stack);
}

void MarkLine::add(int64_t time, std::string_view mark, double number) {
  time_ns.push_back(time);
  name.push_back(mark);
  value.push_back(number);
}

void check_tracks(const Tracks& tracks) {
  CHECK(tracks.begin_ns <= tracks.end_ns);
  auto is_stack = [&](uint32_t stack) {
    return stack == kNoTrackStack || stack < tracks.stacks.parent.size();
  };
  for (const Track& track : tracks.tracks) {
    std::visit([](const auto& body) { check(body); }, track.body);
    if (const auto* lane = std::get_if<SpanLane>(&track.body)) {
      CHECK(std::ranges::all_of(lane->stack, is_stack));
    }
  }
  for (const TrackArrow& arrow : tracks.arrows) {
    CHECK(arrow.from < tracks.tracks.size() && arrow.to < tracks.tracks.size());
    CHECK(is_stack(arrow.stack));
  }
}

std::vector<std::string_view> frames_of(const Tracks& tracks, uint32_t stack) {
  const ReportColumn* names = tracks.stacks.nodes.find(ColumnRole::kName);
  std::vector<std::string_view> frames;
  if (stack == kNoTrackStack || names == nullptr) {
    return frames;
  }
  for (uint32_t row = stack;; row = tracks.stacks.parent[row]) {
    frames.emplace_back(names->text[row]);
    if (tracks.stacks.parent[row] == row) {
      break;
    }
  }
  std::ranges::reverse(frames);
  return frames;
}

Tracks as_tracks(const Series& series, std::string title) {
  Tracks tracks;
  if (!series.time_ns.empty()) {
    tracks.begin_ns = series.time_ns.front();
    tracks.end_ns = series.time_ns.back();
  }
  for (const Gap& gap : series.gaps) {
    tracks.begin_ns = std::min(tracks.begin_ns, gap.begin_ns);
    tracks.end_ns = std::max(tracks.end_ns, gap.end_ns);
  }
  tracks.tracks.push_back({.title = std::move(title), .body = series});
  return tracks;
}

std::string_view kind_name(const Track& track) {
  return kKindNames.at(track.body.index());
}

std::string_view state_name(SpanState state) {
  return kStateNames.at(static_cast<size_t>(state));
}

}  // namespace wick

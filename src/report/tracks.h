// SPDX-License-Identifier: Apache-2.0
// Drawings over time: lines, and tracks below each other on one axis.
//
//     Series      numbers over time: a line each, with a band (low, high) and gaps
//     Tracks      rows of a drawing, each of one kind
//       Series      IPC with its bounds, the CPUs that a thread uses, a counter
//       SpanLane    intervals, nested: calls of a thread, its states, regions of a program
//       MarkLine    named moments
//       arrows      from a moment of one track to a moment of another: a wake-up
//       stacks      the stacks of spans and arrows, each frame once
//
// Times are nanoseconds on one clock; analyses use the time since the first sample, which --time
// takes. A gap is a time without data, and its reason: it is drawn as missing, never as zero.
//
// Invariants: times of a series, spans of a lane and marks increase; a span does not end before it
// begins; spans of one depth do not overlap; tracks and stacks that are referred to exist.
// check_tracks (tracks.cc) states them in code.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "report/table.h"

namespace wick {

struct Gap {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  std::string reason;  // "the trace buffer overflowed"
};

// Tracks of one unit and one group are drawn on one scale: parts that compare with each other, such
// as the CPUs that threads use, and sums of them, beside which most parts would be too small to see.
enum class ScaleGroup : uint8_t { kOwn, kParts, kSums };

// A value holds from its time to the next one. `low` and `high` of a line are its bounds; a value
// that is not known is NaN. A line in Tracks has a unit of its own, or none.
struct Series {
  std::vector<int64_t> time_ns;
  std::vector<ReportColumn> lines;  // a row for each time
  std::vector<Gap> gaps = {};
  ScaleGroup scale = ScaleGroup::kOwn;
};

// What a thread does during a span. Work has its name's colour; the other states have one colour
// each, whatever they are called.
enum class SpanState : uint8_t { kWork, kRunning, kReady, kBlocked };

inline constexpr uint32_t kNoTrackStack = UINT32_MAX;

struct TrackSpan {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  uint32_t depth = 0;  // 0: outermost
  SpanState state = SpanState::kWork;
  std::string_view name;           // "parse", "futex"
  std::string_view category = {};  // "call", "lock"
  uint32_t stack = kNoTrackStack;  // its innermost frame: a row of Tracks::stacks
};

struct SpanLane {
  std::vector<int64_t> begin_ns;
  std::vector<int64_t> end_ns;
  std::vector<uint32_t> depth;
  std::vector<SpanState> state;
  TextValues name;
  TextValues category;
  std::vector<uint32_t> stack;
  std::vector<ReportColumn> details = {};  // cycles, instructions: a row for each span
  std::vector<Gap> gaps = {};

  void add(const TrackSpan& span);
  size_t size() const { return begin_ns.size(); }
};

struct MarkLine {
  std::vector<int64_t> time_ns;
  TextValues name;
  std::vector<double> value;  // NaN: it has none
  std::string unit = {};      // of the values

  void add(int64_t time, std::string_view mark, double number);
  size_t size() const { return time_ns.size(); }
};

struct Track {
  std::string title;   // "worker 42"
  uint32_t level = 0;  // a track belongs to the track before it that has a smaller level
  std::variant<Series, SpanLane, MarkLine> body;
};

struct TrackArrow {
  uint32_t from = 0;  // track
  uint32_t to = 0;
  int64_t from_ns = 0;
  int64_t to_ns = 0;
  std::string name;                // "wake-up"
  uint32_t stack = kNoTrackStack;  // of the origin
};

struct Tracks {
  int64_t begin_ns = 0;  // the axis
  int64_t end_ns = 0;
  std::vector<Track> tracks;
  std::vector<TrackArrow> arrows = {};
  Tree stacks = {};  // nodes have a column with role kName; a child is called by its parent
};

// Fails a CHECK if an invariant does not hold.
void check_tracks(const Tracks& tracks);

// The frames of a stack, outermost first.
std::vector<std::string_view> frames_of(const Tracks& tracks, uint32_t stack);

// A single series as tracks, with its title.
Tracks as_tracks(const Series& series, std::string title);

// The words in JSON: "series", "spans", "marks"; "work", "running", "ready", "blocked".
std::string_view kind_name(const Track& track);
std::string_view state_name(SpanState state);

}  // namespace wick

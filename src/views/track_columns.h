// SPDX-License-Identifier: Apache-2.0
// Tracks in columns of a drawing: characters of a terminal, pixels of a picture. Every view that
// draws over time uses them, so one value and one span are in the same column of all pictures, and
// the cost of drawing depends on the width and not on the number of points or spans.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/report.h"

namespace wick {

// The axis: time to column and back. An axis of no length has all times in column 0.
struct TimeAxis {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  size_t columns = 1;

  double column_of(int64_t time) const;
  int64_t time_of(double column) const;
};

// One line in columns. A column without any value is NaN. Where a column has several values, it has
// their mean, weighted by time, and the smallest and the largest of their bounds.
struct LineColumns {
  std::vector<double> value;
  std::vector<double> low;  // equal to the value where the line has no bounds
  std::vector<double> high;
};
LineColumns line_columns(const Series& series, const ReportColumn& line, const TimeAxis& axis);

// The times without data of a series on the axis of its tracks, in order: its gaps, and where no line
// has a known value. None is known before the first point. web/src/ui/gaps.ts has the same rule.
std::vector<Gap> all_gaps(const Series& series, const Tracks& tracks);

// Whether the middle of each column lies in a gap.
std::vector<bool> gap_columns(const std::vector<Gap>& gaps, const TimeAxis& axis);

// The smallest and the largest value of a scale. It includes 0.
struct ValueScale {
  double low = 0;
  double high = 0;

  void include(double value);
  // 0 at the bottom, 1 at the top.
  double share_of(double value) const { return high > low ? (value - low) / (high - low) : 0; }
};

// The scale of each track: its own, or the common one of its unit. Tracks without lines have an
// empty one.
std::vector<ValueScale> scales_of(const Tracks& tracks);

// A value with its unit for people: "3.1 IPC", "12.5 MiB", "1.23 ms".
std::string value_text(const ReportColumn& line, double value);
// A time of the axis: "12.3 ms".
std::string time_text(int64_t time_ns);

// The number of rows that a lane needs, at most `most`.
uint32_t rows_of(const SpanLane& lane, uint32_t most);

// How much time the spans of each name take, the most first: names of work in the order in which
// they get colours and letters.
struct NameTime {
  std::string name;
  double time_ns = 0;
};
std::vector<NameTime> names_by_time(const Tracks& tracks);

// The states in the lanes besides work, each once.
std::vector<SpanState> states_in(const Tracks& tracks);

// The tracks to draw of a section with Tracks or a Series; null for other shapes. `made` stores the
// tracks of a series.
const Tracks* drawn_tracks(const Section& section, Tracks& made);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "views/svg/series_shapes.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/escape.h"
#include "views/numbers.h"
#include "views/svg/bounded_name.h"
#include "views/svg/frame_rows.h"

namespace wick {
namespace {

constexpr uint32_t kMostTouched = 120;  // pieces of a series with a title of their own

double y_of(double value, const ValueScale& scale) {
  return (kSeriesHeight - 1) * (1 - std::clamp(scale.share_of(value), 0.0, 1.0)) + 0.5;
}

// Calls use(first, last) for each run of columns whose `value` is known; last is after the run.
template <typename Use>
void for_each_run(const std::vector<double>& value, Use use) {
  for (size_t first = 0; first < value.size();) {
    if (std::isnan(value[first])) {
      ++first;
      continue;
    }
    size_t last = first;
    while (last < value.size() && !std::isnan(value[last])) {
      ++last;
    }
    use(first, last);
    first = last;
  }
}

void append_point(const TrackCanvas& canvas, double column, double y, std::string& path) {
  path += path.empty() || path.back() == 'z' ? 'M' : 'L';
  append_pixels(path, canvas.left + column);
  path += ' ';
  append_pixels(path, y);
}

// Steps along values[first, last), forward or back; equal neighbours are one step.
void append_steps(const TrackCanvas& canvas,
                  const std::vector<double>& values,
                  size_t first,
                  size_t last,
                  bool is_forward,
                  const ValueScale& scale,
                  std::string& path) {
  size_t count = last - first;
  for (size_t i = 0; i < count; ++i) {
    size_t at = is_forward ? first + i : last - 1 - i;
    size_t next = is_forward ? at + 1 : at - 1;
    bool is_same = i + 1 < count && values[next] == values[at];
    bool was_same = i > 0 && values[is_forward ? at - 1 : at + 1] == values[at];
    double y = y_of(values[at], scale);
    if (!was_same) {
      append_point(canvas, static_cast<double>(at + (is_forward ? 0 : 1)), y, path);
    }
    if (!is_same) {
      append_point(canvas, static_cast<double>(at + (is_forward ? 1 : 0)), y, path);
    }
  }
}

void append_between(const TrackCanvas& canvas,
                    std::string_view style,
                    const std::vector<double>& low,
                    const std::vector<double>& high,
                    const std::vector<double>& known,
                    const ValueScale& scale,
                    std::string& text) {
  std::string path;
  for_each_run(known, [&](size_t first, size_t last) {
    append_steps(canvas, high, first, last, true, scale, path);
    append_steps(canvas, low, first, last, false, scale, path);
    path += 'z';
  });
  if (!path.empty()) {
    text += fmt::format("<path class=\"{}\" d=\"{}\"/>\n", style, path);
  }
}

void append_line(const TrackCanvas& canvas,
                 const std::string& style,
                 const std::vector<double>& values,
                 const ValueScale& scale,
                 std::string& text) {
  for_each_run(values, [&](size_t first, size_t last) {
    std::string path;
    append_steps(canvas, values, first, last, true, scale, path);
    text += fmt::format("<path class=\"{}\" d=\"{}\"/>\n", style, path);
  });
}

// Transparent pieces with the values as their titles.
void append_touched(const TrackCanvas& canvas,
                    const Series& series,
                    const std::vector<LineColumns>& columns,
                    std::string& text) {
  size_t pieces = std::min<size_t>(kMostTouched, canvas.axis.columns);
  for (size_t piece = 0; piece < pieces; ++piece) {
    size_t first = piece * canvas.axis.columns / pieces;
    size_t last = (piece + 1) * canvas.axis.columns / pieces;
    size_t at = (first + last) / 2;
    std::string title = time_text(canvas.axis.time_of(static_cast<double>(at)));
    bool is_known = false;
    for (size_t i = 0; i < columns.size(); ++i) {
      const LineColumns& line = columns[i];
      is_known = is_known || !std::isnan(line.value[at]);
      title += fmt::format("\n{}: {}",
                           bounded_name(series.lines[i].title),
                           value_text(series.lines[i], line.value[at]));
      if (!series.lines[i].low.empty() && !std::isnan(line.low[at])) {
        title += fmt::format(" ({} to {})",
                             number_text(series.lines[i], line.low[at], series.lines[i].unit),
                             number_text(series.lines[i], line.high[at], series.lines[i].unit));
      }
    }
    if (is_known) {
      text += "<g><title>" + xml_text(title) + "</title>";
      append_rect("touch",
                  canvas.left + static_cast<double>(first),
                  static_cast<double>(last - first),
                  0,
                  kSeriesHeight,
                  text);
      text += "</g>\n";
    }
  }
}

}  // namespace

bool is_with_lines(const Series& series) {
  return series.lines.size() > 1 || (!series.lines.empty() && !series.lines[0].low.empty());
}

bool append_series(const TrackCanvas& canvas,
                   const Tracks& tracks,
                   const Series& series,
                   const ValueScale& scale,
                   uint32_t indent,
                   std::string& text) {
  std::vector<LineColumns> columns;
  std::vector<Gap> times = all_gaps(series, tracks);
  std::vector<bool> gaps = gap_columns(times, canvas.axis);
  for (const ReportColumn& line : series.lines) {
    columns.push_back(line_columns(series, line, canvas.axis));
    for (size_t at = 0; at < gaps.size(); ++at) {
      if (gaps[at]) {
        columns.back().value[at] = NAN;
      }
    }
  }
  for (size_t i = 0; i < columns.size(); ++i) {
    if (!series.lines[i].low.empty()) {
      append_between(
          canvas, "band", columns[i].low, columns[i].high, columns[i].value, scale, text);
    } else if (!is_with_lines(series)) {
      std::vector<double> floor(gaps.size(), std::max(0.0, scale.low));
      append_between(canvas, "area", floor, columns[i].value, columns[i].value, scale, text);
    }
  }
  for (size_t i = 0; i < columns.size(); ++i) {
    append_line(canvas, fmt::format("line line{}", i % 4), columns[i].value, scale, text);
  }
  bool has_gaps = append_gaps(canvas, times, kSeriesHeight, text);
  if (!series.lines.empty()) {
    std::string low = scale.low < 0 ? value_text(series.lines[0], scale.low) + " to " : "";
    text += fmt::format("<text class=\"scale\" x=\"{}\" y=\"25\">{}</text>\n",
                        6 + indent,
                        xml_text(low + value_text(series.lines[0], scale.high)));
  }
  append_touched(canvas, series, columns, text);
  return has_gaps;
}

}  // namespace wick

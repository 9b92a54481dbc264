// SPDX-License-Identifier: Apache-2.0
#include "views/svg/span_shapes.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/escape.h"
#include "views/labels.h"
#include "views/names.h"
#include "views/numbers.h"
#include "views/svg/bounded_name.h"
#include "views/svg/frame_rows.h"

namespace wick {
namespace {

constexpr size_t kMostNamesInLegend = 8;
constexpr size_t kLegendColumns = 40;  // of a name
constexpr double kBoxMargin = 6;
constexpr std::string_view kOtherStyle = "gx";

std::string state_style(SpanState state) {
  return fmt::format("s{}", static_cast<int>(state));
}

// A rectangle with a title, and a label unless that is empty.
void append_shape(std::string_view style,
                  double x,
                  double width,
                  uint32_t row,
                  const std::string& title,
                  std::string_view label,
                  std::string& text) {
  text += "<g><title>" + xml_text(title) + "</title>";
  append_rect(style, x, width, row * kSpanHeight, kSpanHeight - 1, text);
  if (!label.empty()) {
    text += "<text x=\"";
    append_pixels(text, x + 3);
    text += fmt::format("\" y=\"{}\">{}</text>", row * kSpanHeight + 11, xml_text(label));
  }
  text += "</g>\n";
}

}  // namespace

SpanShapes::SpanShapes(const Tracks& tracks, const TrackCanvas& canvas)
    : tracks_(tracks), canvas_(canvas), names_(names_by_time(tracks)) {
  for (size_t i = 0; i < std::min(names_.size(), kMostNamesInLegend); ++i) {
    styles_.try_emplace(names_[i].name, fmt::format("g{}", i));
  }
}

std::vector<LegendEntry> SpanShapes::legend() const {
  std::vector<LegendEntry> legend;
  std::vector<LabelRow> names;
  for (size_t i = 0; i < std::min(names_.size(), kMostNamesInLegend); ++i) {
    names.push_back({names_[i].name, kLegendColumns});
  }
  std::vector<std::string> labels = labels_of(names);
  for (size_t i = 0; i < labels.size(); ++i) {
    legend.push_back({fmt::format("g{}", i), labels[i]});
  }
  if (names_.size() > kMostNamesInLegend) {
    legend.push_back({std::string(kOtherStyle), "other names"});
  }
  for (SpanState state : states_in(tracks_)) {
    legend.push_back({state_style(state), std::string(state_name(state))});
  }
  if (has_runs_) {
    legend.push_back({"m", "several short spans"});
  }
  return legend;
}

std::string SpanShapes::style_of(const SpanLane& lane, size_t span) const {
  if (lane.state[span] != SpanState::kWork) {
    return state_style(lane.state[span]);
  }
  auto own = styles_.find(lane.name[span]);
  return own == styles_.end() ? std::string(kOtherStyle) : own->second;
}

std::string SpanShapes::title_of(const SpanLane& lane, size_t span) const {
  double length = static_cast<double>(lane.end_ns[span]) - static_cast<double>(lane.begin_ns[span]);
  std::string title = bounded_name(lane.name[span]);
  if (lane.state[span] != SpanState::kWork) {
    title += (title.empty() ? "" : ", ") + std::string(state_name(lane.state[span]));
  }
  if (!lane.category[span].empty()) {
    title += fmt::format(" ({})", bounded_name(lane.category[span]));
  }
  title += fmt::format(
      "\n{} from {}", weight_text(length, "nanoseconds"), time_text(lane.begin_ns[span]));
  for (const ReportColumn& detail : lane.details) {
    std::string value = detail.kind == ColumnKind::kText ? bounded_name(detail.text[span])
                                                         : value_text(detail, detail.numbers[span]);
    title += fmt::format("\n{}: {}", bounded_name(detail.title), value);
  }
  if (lane.stack[span] != kNoTrackStack) {
    title += "\n" + stack_text(tracks_, lane.stack[span]);
  }
  return title;
}

void SpanShapes::flush(const SpanLane& lane, uint32_t depth, Run& run, std::string& text) {
  if (run.spans == 1) {
    append_shape(style_of(lane, run.first),
                 run.from,
                 std::max(1.0, run.until - run.from),
                 depth,
                 title_of(lane, run.first),
                 "",
                 text);
  } else if (run.spans > 1) {
    has_runs_ = true;
    append_shape("m",
                 run.from,
                 std::max(1.0, run.until - run.from),
                 depth,
                 count_text(static_cast<double>(run.spans)) + " spans",
                 "",
                 text);
  }
  run = {};
}

// Where a span is drawn; empty if it is outside.
std::pair<double, double> SpanShapes::extent_of(const SpanLane& lane, size_t span) const {
  double right = canvas_.right();
  return {std::max<double>(canvas_.left, canvas_.x_of(lane.begin_ns[span])),
          std::min(right, canvas_.x_of(lane.end_ns[span]))};
}

// By span. Boxes with room for letters only have no label, and those of different names differ.
std::unordered_map<size_t, std::string> SpanShapes::box_labels(const SpanLane& lane) const {
  std::vector<size_t> spans;
  std::vector<LabelRow> boxes;
  for (size_t span = 0; span < lane.size(); ++span) {
    auto [from, until] = extent_of(lane, span);
    double room = until - from - kBoxMargin;
    if (lane.depth[span] < kMostSpanDepth && room >= kColumn) {
      spans.push_back(span);
      boxes.push_back({lane.name[span], static_cast<size_t>(room / kColumn)});
    }
  }
  std::vector<std::string> labels = labels_of(boxes, Alike::kBlank);
  std::unordered_map<size_t, std::string> by_span;
  for (size_t i = 0; i < spans.size(); ++i) {
    by_span.emplace(spans[i], std::move(labels[i]));
  }
  return by_span;
}

void SpanShapes::append(const SpanLane& lane, std::string& text) {
  std::unordered_map<size_t, std::string> labels = box_labels(lane);
  uint32_t rows = rows_of(lane, kMostSpanDepth);
  std::vector<Run> runs(rows);
  for (size_t span = 0; span < lane.size(); ++span) {
    uint32_t depth = lane.depth[span];
    auto [from, until] = extent_of(lane, span);
    if (depth >= rows) {
      ++deeper_;
      continue;
    }
    if (until < from) {
      continue;
    }
    Run& run = runs[depth];
    bool is_narrow = until - from < 1;
    bool joins = run.spans > 0 && from - run.until < 1 && is_narrow;
    if (!joins) {
      flush(lane, depth, run, text);
    }
    if (is_narrow) {
      run = joins ? Run{run.from, std::max(run.until, until), run.spans + 1, run.first}
                  : Run{from, until, 1, span};
      continue;
    }
    append_shape(style_of(lane, span),
                 from,
                 until - from > 2 ? until - from - 0.5 : until - from,
                 depth,
                 title_of(lane, span),
                 labels[span],
                 text);
  }
  for (uint32_t depth = 0; depth < rows; ++depth) {
    flush(lane, depth, runs[depth], text);
  }
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Writes tracks in the order of tracks_form.h. Each track is drawn at its own origin and moved to
// its row, so arrows are the only shapes that know where tracks are.
#include "views/svg/tracks_form.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "base/escape.h"
#include "views/labels.h"
#include "views/names.h"
#include "views/numbers.h"
#include "views/svg/assets.h"
#include "views/svg/bounded_name.h"
#include "views/svg/frame_rows.h"
#include "views/svg/notes.h"
#include "views/svg/picture_foot.h"
#include "views/track_columns.h"

namespace wick {
namespace {

constexpr uint32_t kHeadHeight = 64;
constexpr uint32_t kAxisHeight = 18;
constexpr uint32_t kSeriesHeight = 46;
constexpr uint32_t kSpanHeight = 15;
constexpr uint32_t kMarksHeight = 16;
constexpr uint32_t kGapBetween = 4;
constexpr uint32_t kMostDepth = 8;
constexpr uint32_t kMostTouched = 120;  // pieces of a series with a title of their own
constexpr size_t kMostArrows = 500;
constexpr size_t kMostTracks = 1000;
constexpr size_t kMostNamesInLegend = 8;
constexpr size_t kLegendColumns = 40;  // of a name
constexpr uint32_t kMostFrames = 12;   // of a stack, in a title
constexpr uint32_t kMostSteps = 10;    // of the axis
constexpr double kTitleColumn = 10.5;
constexpr double kAxisColumn = 6.2;
constexpr double kBoxMargin = 6;
constexpr std::string_view kOtherStyle = "gx";

// "main > work > wait", the innermost frames of a long stack.
std::string stack_text(const Tracks& tracks, uint32_t stack) {
  std::vector<std::string_view> frames = frames_of(tracks, stack);
  std::string text;
  size_t first = frames.size() > kMostFrames ? frames.size() - kMostFrames : 0;
  for (size_t at = first; at < frames.size(); ++at) {
    text += (at == first ? (first > 0 ? ".. > " : "") : " > ") + bounded_name(frames[at]);
  }
  return text;
}

class TracksForm {
 public:
  TracksForm(const Report& report, const Tracks& tracks, const SvgOptions& options)
      : report_(report),
        tracks_(tracks),
        options_(options),
        scales_(scales_of(tracks)),
        names_(names_by_time(tracks)) {
    left_ = std::clamp(options.width / 6, 60U, 220U);
    axis_ = {.begin_ns = tracks.begin_ns,
             .end_ns = tracks.end_ns,
             .columns = std::max(50U, options.width - std::min(options.width, left_ + 10))};
    for (size_t i = 0; i < std::min(names_.size(), kMostNamesInLegend); ++i) {
      styles_.try_emplace(names_[i].name, fmt::format("g{}", i));
    }
  }

  std::string finish() {
    uint32_t y = kHeadHeight + kAxisHeight;
    for (const Track& track : drawn()) {
      tops_.push_back(y);
      y += height_of(track) + kGapBetween;
    }
    bottom_ = y;
    add_titles();
    std::string shapes = axis();
    for (size_t track = 0; track < drawn().size(); ++track) {
      shapes += track_at(track);
    }
    shapes += arrows();
    PictureFoot foot = picture_foot(legend(), notes(), options_.width);
    return fmt::format("{}{}<g id=\"foot\" transform=\"translate(0 {})\">\n{}</g>\n{}</svg>\n",
                       opening(bottom_ + foot.height + 14),
                       shapes,
                       bottom_ + 6,
                       foot.text,
                       head());
  }

 private:
  std::span<const Track> drawn() const {
    return std::span(tracks_.tracks).first(std::min(tracks_.tracks.size(), kMostTracks));
  }

  // ---- Around the tracks ----

  std::string title() const {
    std::string title = report_.title.empty() ? "Tracks" : report_.title;
    return !options_.title.empty()    ? options_.title
           : !report_.subject.empty() ? fmt::format("{}: {}", title, report_.subject)
                                      : title;
  }

  std::string opening(uint32_t height) const {
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"wick-flame tracks\" width=\"{0}\" "
        "height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n<title>{2}</title>\n{3}"
        "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><line class=\"hatch\" x1=\"0\" y1=\"0\" x2=\"0\" "
        "y2=\"6\"/></pattern><marker id=\"head-of-arrow\" viewBox=\"0 0 6 6\" refX=\"5\" "
        "refY=\"3\" markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\"><path "
        "class=\"head-of-arrow\" d=\"M0 0L6 3L0 6z\"/></marker></defs>\n"
        "<rect class=\"bg\" width=\"100%\" height=\"100%\"/>\n",
        options_.width,
        height,
        xml_text(bounded_name(title())),
        tracks_style_element());
  }

  std::string head() const {
    double room = options_.width - 2 * kPad;
    const std::string& subtitle = options_.subtitle.empty() ? report_.origin : options_.subtitle;
    std::string total =
        tracks_.tracks.empty()
            ? "No tracks: there is nothing to draw."
            : fmt::format("{} to {}", time_text(tracks_.begin_ns), time_text(tracks_.end_ns));
    return fmt::format(
        "<g id=\"head\"><text id=\"title\" x=\"10\" y=\"22\">{}</text>"
        "<text id=\"details\" x=\"10\" y=\"42\">{}</text>"
        "<text id=\"numbers\" x=\"10\" y=\"58\">{}</text></g>\n",
        xml_text(cut_text(title(), static_cast<size_t>(room / kTitleColumn))),
        xml_text(
            cut_text(subtitle.empty() ? total : subtitle, static_cast<size_t>(room / kColumn))),
        xml_text(subtitle.empty() ? "" : total));
  }

  // Steps of 1, 2 or 5 times a power of ten.
  std::string axis() const {
    double length = static_cast<double>(axis_.end_ns) - static_cast<double>(axis_.begin_ns);
    std::string text = "<g class=\"times\">\n";
    if (!(length > 0)) {
      return text + "</g>\n";
    }
    double step = std::pow(10, std::floor(std::log10(length / kMostSteps)));
    while (length / step > kMostSteps) {
      step *= length / step > 5 * kMostSteps ? 10 : length / step > 2 * kMostSteps ? 5 : 2;
    }
    double first = std::ceil(static_cast<double>(axis_.begin_ns) / step) * step;
    for (uint32_t i = 0; i <= kMostSteps; ++i) {
      double at = first + i * step;
      if (at > static_cast<double>(axis_.end_ns)) {
        break;
      }
      double x = x_of(static_cast<int64_t>(at));
      text += "<path class=\"axis\" d=\"M";
      append_pixels(text, x);
      text += fmt::format(" {}V{}\"/>", kHeadHeight, bottom_);
      std::string label = time_text(static_cast<int64_t>(at));
      if (x + 3 + kAxisColumn * static_cast<double>(label.size()) < options_.width) {
        text += "<text class=\"axis-text\" x=\"";
        append_pixels(text, x + 3);
        text += fmt::format("\" y=\"{}\">{}</text>", kHeadHeight + 11, xml_text(label));
      }
      text += '\n';
    }
    return text + "</g>\n";
  }

  std::vector<LegendEntry> legend() const {
    std::vector<LegendEntry> legend;
    size_t most_lines = 0;
    bool has_band = false;
    auto is_bounded = [](const ReportColumn& line) { return !line.low.empty(); };
    for (const Track& track : tracks_.tracks) {
      const auto* series = std::get_if<Series>(&track.body);
      if (series != nullptr && is_with_lines(*series) && series->lines.size() > most_lines) {
        for (size_t i = most_lines; i < std::min<size_t>(4, series->lines.size()); ++i) {
          legend.push_back({fmt::format("line-key{}", i), bounded_name(series->lines[i].title)});
        }
        most_lines = series->lines.size();
      }
      has_band = has_band || (series != nullptr && std::ranges::any_of(series->lines, is_bounded));
    }
    if (has_band) {
      legend.push_back({"band", "between the bounds of a line"});
    }
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
      legend.push_back({style_of(state), std::string(state_name(state))});
    }
    if (has_runs_) {
      legend.push_back({"m", "several short spans"});
    }
    if (has_gaps_) {
      legend.push_back({"gap", "no data"});
    }
    return legend;
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> notes = loss_notes(report_);
    if (deeper_ > 0) {
      notes.push_back(fmt::format("{} {} not drawn: deeper than {} levels.",
                                  count_text(static_cast<double>(deeper_)),
                                  deeper_ == 1 ? "span is" : "spans are",
                                  kMostDepth));
    }
    if (tracks_.tracks.size() > kMostTracks) {
      notes.push_back(fmt::format("The first {} of {} tracks are drawn.",
                                  count_text(kMostTracks),
                                  count_text(static_cast<double>(tracks_.tracks.size()))));
    }
    if (tracks_.arrows.size() > kMostArrows) {
      notes.push_back(fmt::format("The first {} of {} arrows are drawn.",
                                  kMostArrows,
                                  count_text(static_cast<double>(tracks_.arrows.size()))));
    }
    return notes;
  }

  // ---- Tracks ----

  double x_of(int64_t time) const { return left_ + axis_.column_of(time); }

  static uint32_t height_of(const Track& track) {
    if (const auto* lane = std::get_if<SpanLane>(&track.body)) {
      return rows_of(*lane, kMostDepth) * kSpanHeight;
    }
    return std::holds_alternative<Series>(track.body) ? kSeriesHeight : kMarksHeight;
  }

  static uint32_t indent_of(const Track& track) { return 10 * std::min<uint32_t>(track.level, 4); }

  void add_titles() {
    std::vector<LabelRow> rows;
    for (const Track& track : drawn()) {
      auto columns = static_cast<size_t>((left_ - indent_of(track) - 10) / kColumn);
      rows.push_back({track.title, columns});
    }
    titles_ = labels_of(rows);
  }

  std::string track_at(size_t number) {
    const Track& track = tracks_.tracks[number];
    uint32_t indent = indent_of(track);
    std::string text = fmt::format(
        "<g class=\"track\" transform=\"translate(0 {})\"><rect class=\"row\" x=\"{}\" "
        "width=\"{}\" height=\"{}\"/><text x=\"{}\" y=\"12\"><title>{}</title>{}</text>\n",
        tops_[number],
        left_,
        axis_.columns,
        height_of(track),
        6 + indent,
        xml_text(bounded_name(track.title)),
        xml_text(titles_[number]));
    if (const auto* series = std::get_if<Series>(&track.body)) {
      add_series(*series, scales_[number], indent, text);
    } else if (const auto* lane = std::get_if<SpanLane>(&track.body)) {
      add_gaps(lane->gaps, height_of(track), text);
      add_lane(*lane, text);
    } else {
      add_marks(std::get<MarkLine>(track.body), text);
    }
    return text + "</g>\n";
  }

  void add_rect(std::string_view style,
                double x,
                double width,
                double y,
                double height,
                std::string& text) const {
    text += fmt::format("<rect class=\"{}\" x=\"", style);
    append_pixels(text, x);
    text += "\" y=\"";
    append_pixels(text, y);
    text += "\" width=\"";
    append_pixels(text, width);
    text += "\" height=\"";
    append_pixels(text, height);
    text += "\"/>";
  }

  // A rectangle with a title, and a label unless that is empty.
  void add_shape(std::string_view style,
                 double x,
                 double width,
                 uint32_t row,
                 const std::string& title,
                 std::string_view label,
                 std::string& text) const {
    text += "<g><title>" + xml_text(title) + "</title>";
    add_rect(style, x, width, row * kSpanHeight, kSpanHeight - 1, text);
    if (!label.empty()) {
      text += "<text x=\"";
      append_pixels(text, x + 3);
      text += fmt::format("\" y=\"{}\">{}</text>", row * kSpanHeight + 11, xml_text(label));
    }
    text += "</g>\n";
  }

  void add_gaps(const std::vector<Gap>& gaps, uint32_t height, std::string& text) {
    double painted = left_;
    for (const Gap& gap : gaps) {
      double from = std::max(painted, x_of(gap.begin_ns));
      double until = std::min(left_ + static_cast<double>(axis_.columns),
                              std::max(from + 1, x_of(gap.end_ns)));
      if (x_of(gap.end_ns) < painted || until <= from) {
        continue;
      }
      has_gaps_ = true;
      text += fmt::format("<g><title>{}</title>",
                          xml_text(fmt::format("no data from {} to {}: {}",
                                               time_text(gap.begin_ns),
                                               time_text(gap.end_ns),
                                               bounded_name(gap.reason))));
      add_rect("gap", from, until - from, 0, height, text);
      text += "</g>\n";
      painted = until;
    }
  }

  // ---- Lines ----

  // One line without a band is an area.
  static bool is_with_lines(const Series& series) {
    return series.lines.size() > 1 || (!series.lines.empty() && !series.lines[0].low.empty());
  }

  void add_series(const Series& series,
                  const ValueScale& scale,
                  uint32_t indent,
                  std::string& text) {
    std::vector<LineColumns> columns;
    std::vector<Gap> times = all_gaps(series, tracks_);
    std::vector<bool> gaps = gap_columns(times, axis_);
    for (const ReportColumn& line : series.lines) {
      columns.push_back(line_columns(series, line, axis_));
      for (size_t at = 0; at < gaps.size(); ++at) {
        if (gaps[at]) {
          columns.back().value[at] = NAN;
        }
      }
    }
    for (size_t i = 0; i < columns.size(); ++i) {
      if (!series.lines[i].low.empty()) {
        add_between("band", columns[i].low, columns[i].high, columns[i].value, scale, text);
      } else if (!is_with_lines(series)) {
        std::vector<double> floor(gaps.size(), std::max(0.0, scale.low));
        add_between("area", floor, columns[i].value, columns[i].value, scale, text);
      }
    }
    for (size_t i = 0; i < columns.size(); ++i) {
      add_line(fmt::format("line line{}", i % 4), columns[i].value, scale, text);
    }
    add_gaps(times, kSeriesHeight, text);
    if (!series.lines.empty()) {
      std::string low = scale.low < 0 ? value_text(series.lines[0], scale.low) + " to " : "";
      text += fmt::format("<text class=\"scale\" x=\"{}\" y=\"25\">{}</text>\n",
                          6 + indent,
                          xml_text(low + value_text(series.lines[0], scale.high)));
    }
    add_touched(series, columns, text);
  }

  static double y_of(double value, const ValueScale& scale) {
    return (kSeriesHeight - 1) * (1 - std::clamp(scale.share_of(value), 0.0, 1.0)) + 0.5;
  }

  // Calls use(first, last) for each run of columns whose `value` is known; last is after the run.
  template <typename Use>
  static void for_each_run(const std::vector<double>& value, Use use) {
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

  // Steps along values[first, last), forward or back; equal neighbours are one step.
  void append_steps(const std::vector<double>& values,
                    size_t first,
                    size_t last,
                    bool is_forward,
                    const ValueScale& scale,
                    std::string& path) const {
    size_t count = last - first;
    for (size_t i = 0; i < count; ++i) {
      size_t at = is_forward ? first + i : last - 1 - i;
      size_t next = is_forward ? at + 1 : at - 1;
      bool is_same = i + 1 < count && values[next] == values[at];
      bool was_same = i > 0 && values[is_forward ? at - 1 : at + 1] == values[at];
      double y = y_of(values[at], scale);
      if (!was_same) {
        append_point(static_cast<double>(at + (is_forward ? 0 : 1)), y, path);
      }
      if (!is_same) {
        append_point(static_cast<double>(at + (is_forward ? 1 : 0)), y, path);
      }
    }
  }

  void append_point(double column, double y, std::string& path) const {
    path += path.empty() || path.back() == 'z' ? 'M' : 'L';
    append_pixels(path, left_ + column);
    path += ' ';
    append_pixels(path, y);
  }

  void add_between(std::string_view style,
                   const std::vector<double>& low,
                   const std::vector<double>& high,
                   const std::vector<double>& known,
                   const ValueScale& scale,
                   std::string& text) const {
    std::string path;
    for_each_run(known, [&](size_t first, size_t last) {
      append_steps(high, first, last, true, scale, path);
      append_steps(low, first, last, false, scale, path);
      path += 'z';
    });
    if (!path.empty()) {
      text += fmt::format("<path class=\"{}\" d=\"{}\"/>\n", style, path);
    }
  }

  void add_line(const std::string& style,
                const std::vector<double>& values,
                const ValueScale& scale,
                std::string& text) const {
    for_each_run(values, [&](size_t first, size_t last) {
      std::string path;
      append_steps(values, first, last, true, scale, path);
      text += fmt::format("<path class=\"{}\" d=\"{}\"/>\n", style, path);
    });
  }

  // Transparent pieces with the values as their titles.
  void add_touched(const Series& series,
                   const std::vector<LineColumns>& columns,
                   std::string& text) const {
    size_t pieces = std::min<size_t>(kMostTouched, axis_.columns);
    for (size_t piece = 0; piece < pieces; ++piece) {
      size_t first = piece * axis_.columns / pieces;
      size_t last = (piece + 1) * axis_.columns / pieces;
      size_t at = (first + last) / 2;
      std::string title = time_text(axis_.time_of(static_cast<double>(at)));
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
        add_rect("touch",
                 left_ + static_cast<double>(first),
                 static_cast<double>(last - first),
                 0,
                 kSeriesHeight,
                 text);
        text += "</g>\n";
      }
    }
  }

  // ---- Spans ----

  static std::string style_of(SpanState state) {
    return fmt::format("s{}", static_cast<int>(state));
  }

  std::string style_of(const SpanLane& lane, size_t span) const {
    if (lane.state[span] != SpanState::kWork) {
      return style_of(lane.state[span]);
    }
    auto own = styles_.find(lane.name[span]);
    return own == styles_.end() ? std::string(kOtherStyle) : own->second;
  }

  std::string title_of(const SpanLane& lane, size_t span) const {
    double length =
        static_cast<double>(lane.end_ns[span]) - static_cast<double>(lane.begin_ns[span]);
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
      std::string value = detail.kind == ColumnKind::kText
                              ? bounded_name(detail.text[span])
                              : value_text(detail, detail.numbers[span]);
      title += fmt::format("\n{}: {}", bounded_name(detail.title), value);
    }
    if (lane.stack[span] != kNoTrackStack) {
      title += "\n" + stack_text(tracks_, lane.stack[span]);
    }
    return title;
  }

  // Neighbours that are narrower than a pixel.
  struct Run {
    double from = 0;
    double until = -1;
    size_t spans = 0;
    size_t first = 0;
  };

  void flush(const SpanLane& lane, uint32_t depth, Run& run, std::string& text) {
    if (run.spans == 1) {
      add_shape(style_of(lane, run.first),
                run.from,
                std::max(1.0, run.until - run.from),
                depth,
                title_of(lane, run.first),
                "",
                text);
    } else if (run.spans > 1) {
      has_runs_ = true;
      add_shape("m",
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
  std::pair<double, double> extent_of(const SpanLane& lane, size_t span) const {
    double right = left_ + static_cast<double>(axis_.columns);
    return {std::max<double>(left_, x_of(lane.begin_ns[span])),
            std::min(right, x_of(lane.end_ns[span]))};
  }

  // By span. Boxes with room for letters only have no label, and those of different names differ.
  std::unordered_map<size_t, std::string> box_labels(const SpanLane& lane) const {
    std::vector<size_t> spans;
    std::vector<LabelRow> boxes;
    for (size_t span = 0; span < lane.size(); ++span) {
      auto [from, until] = extent_of(lane, span);
      double room = until - from - kBoxMargin;
      if (lane.depth[span] < kMostDepth && room >= kColumn) {
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

  void add_lane(const SpanLane& lane, std::string& text) {
    std::unordered_map<size_t, std::string> labels = box_labels(lane);
    uint32_t rows = rows_of(lane, kMostDepth);
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
      add_shape(style_of(lane, span),
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

  // ---- Marks and arrows ----

  void add_marks(const MarkLine& marks, std::string& text) const {
    for (size_t first = 0; first < marks.size();) {
      double x = std::floor(x_of(marks.time_ns[first]));
      size_t last = first + 1;
      while (last < marks.size() && std::floor(x_of(marks.time_ns[last])) == x) {
        ++last;
      }
      if (x >= left_ && x <= left_ + static_cast<double>(axis_.columns)) {
        std::string title = time_text(marks.time_ns[first]) + " " + bounded_name(marks.name[first]);
        if (!std::isnan(marks.value[first])) {
          title += fmt::format(": {:g} {}", marks.value[first], bounded_name(marks.unit));
        }
        if (last - first > 1) {
          title += fmt::format("\nand {} more", count_text(static_cast<double>(last - first - 1)));
        }
        text += "<g><title>" + xml_text(title) + "</title>";
        add_rect("mark", x, 1.5, 0, kMarksHeight, text);
        text += "</g>\n";
      }
      first = last;
    }
  }

  std::string arrows() const {
    std::string text = "<g class=\"arrows\">\n";
    for (size_t i = 0; i < std::min(tracks_.arrows.size(), kMostArrows); ++i) {
      const TrackArrow& arrow = tracks_.arrows[i];
      bool is_outside = arrow.to_ns < axis_.begin_ns || arrow.from_ns > axis_.end_ns ||
                        std::max(arrow.from, arrow.to) >= tops_.size();
      if (is_outside) {
        continue;
      }
      std::string title = fmt::format("{}: {} at {} to {} at {}",
                                      bounded_name(arrow.name),
                                      bounded_name(tracks_.tracks[arrow.from].title),
                                      time_text(arrow.from_ns),
                                      bounded_name(tracks_.tracks[arrow.to].title),
                                      time_text(arrow.to_ns));
      if (arrow.stack != kNoTrackStack) {
        title += "\n" + stack_text(tracks_, arrow.stack);
      }
      text += "<path class=\"arrow\" marker-end=\"url(#head-of-arrow)\" d=\"M";
      append_pixels(text, std::max<double>(left_, x_of(arrow.from_ns)));
      text += fmt::format(" {}L", middle_of(arrow.from));
      append_pixels(text, std::min(left_ + static_cast<double>(axis_.columns), x_of(arrow.to_ns)));
      text += fmt::format(" {}\"><title>{}</title></path>\n", middle_of(arrow.to), xml_text(title));
    }
    return text + "</g>\n";
  }

  uint32_t middle_of(uint32_t track) const {
    return tops_[track] + height_of(tracks_.tracks[track]) / 2;
  }

  const Report& report_;
  const Tracks& tracks_;
  const SvgOptions& options_;
  std::vector<ValueScale> scales_;
  std::vector<NameTime> names_;
  std::unordered_map<std::string, std::string> styles_;
  uint32_t left_ = 0;
  TimeAxis axis_;
  std::vector<uint32_t> tops_;
  std::vector<std::string> titles_;
  uint32_t bottom_ = 0;
  size_t deeper_ = 0;
  bool has_runs_ = false;
  bool has_gaps_ = false;
};

}  // namespace

void write_tracks_form(const Report& report,
                       const Tracks& tracks,
                       const SvgOptions& options,
                       Output& out) {
  out.write(TracksForm(report, tracks, options).finish());
}

}  // namespace wick

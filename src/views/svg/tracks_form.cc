// SPDX-License-Identifier: Apache-2.0
// Writes tracks in the order of tracks_form.h: series by series_shapes.h, spans by span_shapes.h, and
// marks here. Each track is drawn at its own origin and moved to its row, so arrows are the only
// shapes that know where tracks are.
#include "views/svg/tracks_form.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
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
#include "views/svg/series_shapes.h"
#include "views/svg/span_shapes.h"
#include "views/svg/track_canvas.h"
#include "views/track_columns.h"

namespace wick {
namespace {

constexpr uint32_t kHeadHeight = 64;
constexpr uint32_t kAxisHeight = 18;
constexpr uint32_t kGapBetween = 4;
constexpr size_t kMostArrows = 500;
constexpr size_t kMostTracks = 1000;
constexpr uint32_t kMostSteps = 10;  // of the axis
constexpr double kTitleColumn = 10.5;
constexpr double kAxisColumn = 6.2;

TrackCanvas canvas_of(const Tracks& tracks, const SvgOptions& options) {
  uint32_t left = std::clamp(options.width / 6, 60U, 220U);
  return {.left = left,
          .axis = {.begin_ns = tracks.begin_ns,
                   .end_ns = tracks.end_ns,
                   .columns = std::max(50U, options.width - std::min(options.width, left + 10))}};
}

class TracksForm {
 public:
  TracksForm(const Report& report, const Tracks& tracks, const SvgOptions& options)
      : report_(report),
        tracks_(tracks),
        options_(options),
        scales_(scales_of(tracks)),
        canvas_(canvas_of(tracks, options)),
        spans_(tracks, canvas_) {}

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
    double length =
        static_cast<double>(canvas_.axis.end_ns) - static_cast<double>(canvas_.axis.begin_ns);
    std::string text = "<g class=\"times\">\n";
    if (!(length > 0)) {
      return text + "</g>\n";
    }
    double step = std::pow(10, std::floor(std::log10(length / kMostSteps)));
    while (length / step > kMostSteps) {
      step *= length / step > 5 * kMostSteps ? 10 : length / step > 2 * kMostSteps ? 5 : 2;
    }
    double first = std::ceil(static_cast<double>(canvas_.axis.begin_ns) / step) * step;
    for (uint32_t i = 0; i <= kMostSteps; ++i) {
      double at = first + i * step;
      if (at > static_cast<double>(canvas_.axis.end_ns)) {
        break;
      }
      double x = canvas_.x_of(static_cast<int64_t>(at));
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
    std::ranges::move(spans_.legend(), std::back_inserter(legend));
    if (has_gaps_) {
      legend.push_back({"gap", "no data"});
    }
    return legend;
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> notes = loss_notes(report_);
    if (spans_.deeper() > 0) {
      notes.push_back(fmt::format("{} {} not drawn: deeper than {} levels.",
                                  count_text(static_cast<double>(spans_.deeper())),
                                  spans_.deeper() == 1 ? "span is" : "spans are",
                                  kMostSpanDepth));
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

  static uint32_t height_of(const Track& track) {
    if (const auto* lane = std::get_if<SpanLane>(&track.body)) {
      return rows_of(*lane, kMostSpanDepth) * kSpanHeight;
    }
    return std::holds_alternative<Series>(track.body) ? kSeriesHeight : kMarksHeight;
  }

  static uint32_t indent_of(const Track& track) { return 10 * std::min<uint32_t>(track.level, 4); }

  void add_titles() {
    std::vector<LabelRow> rows;
    for (const Track& track : drawn()) {
      auto columns = static_cast<size_t>((canvas_.left - indent_of(track) - 10) / kColumn);
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
        canvas_.left,
        canvas_.axis.columns,
        height_of(track),
        6 + indent,
        xml_text(bounded_name(track.title)),
        xml_text(titles_[number]));
    if (const auto* series = std::get_if<Series>(&track.body)) {
      has_gaps_ |= append_series(canvas_, tracks_, *series, scales_[number], indent, text);
    } else if (const auto* lane = std::get_if<SpanLane>(&track.body)) {
      has_gaps_ |= append_gaps(canvas_, lane->gaps, height_of(track), text);
      spans_.append(*lane, text);
    } else {
      add_marks(std::get<MarkLine>(track.body), text);
    }
    return text + "</g>\n";
  }

  // ---- Marks and arrows ----

  void add_marks(const MarkLine& marks, std::string& text) const {
    for (size_t first = 0; first < marks.size();) {
      double x = std::floor(canvas_.x_of(marks.time_ns[first]));
      size_t last = first + 1;
      while (last < marks.size() && std::floor(canvas_.x_of(marks.time_ns[last])) == x) {
        ++last;
      }
      if (x >= canvas_.left && x <= canvas_.right()) {
        std::string title = time_text(marks.time_ns[first]) + " " + bounded_name(marks.name[first]);
        if (!std::isnan(marks.value[first])) {
          title += fmt::format(": {:g} {}", marks.value[first], bounded_name(marks.unit));
        }
        if (last - first > 1) {
          title += fmt::format("\nand {} more", count_text(static_cast<double>(last - first - 1)));
        }
        text += "<g><title>" + xml_text(title) + "</title>";
        append_rect("mark", x, 1.5, 0, kMarksHeight, text);
        text += "</g>\n";
      }
      first = last;
    }
  }

  std::string arrows() const {
    std::string text = "<g class=\"arrows\">\n";
    for (size_t i = 0; i < std::min(tracks_.arrows.size(), kMostArrows); ++i) {
      const TrackArrow& arrow = tracks_.arrows[i];
      bool is_outside = arrow.to_ns < canvas_.axis.begin_ns ||
                        arrow.from_ns > canvas_.axis.end_ns ||
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
      append_pixels(text, std::max<double>(canvas_.left, canvas_.x_of(arrow.from_ns)));
      text += fmt::format(" {}L", middle_of(arrow.from));
      append_pixels(text, std::min(canvas_.right(), canvas_.x_of(arrow.to_ns)));
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
  TrackCanvas canvas_;
  SpanShapes spans_;
  std::vector<uint32_t> tops_;
  std::vector<std::string> titles_;
  uint32_t bottom_ = 0;
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

// SPDX-License-Identifier: Apache-2.0
// Draws tracks as text, in this order:
//
//     1. measure     columns of the names and of the scales; the rest is the drawing
//     2. add_track   the lines of each track, with the marks of gaps over them
//     3. legend      the letters and characters that were used
//     4. moments     the first marks and arrows as a list
#include "views/track_sketch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <unordered_map>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/utf8.h"
#include "views/labels.h"
#include "views/names.h"
#include "views/numbers.h"
#include "views/track_columns.h"

namespace wick {
namespace {

constexpr std::array<std::string_view, 9> kBars = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::string_view kGap = "░";
constexpr char kSeveral = '.';  // spans that fill less than half of a column each
constexpr char kOther = '*';    // names without a letter
constexpr std::array<char, 4> kStates = {' ', '#', '+', '-'};  // in the order of SpanState
constexpr size_t kLetters = 26;
constexpr uint32_t kMostDepth = 4;
constexpr size_t kLeastDrawing = 10;
constexpr size_t kMostScale = 18;
constexpr size_t kFewestForTitle = 8;
constexpr size_t kLeastWords = 8;  // of a line after the title of its track
constexpr size_t kMostWords = 16;
constexpr size_t kListed = 8;  // marks and arrows
constexpr size_t kLegendNames = 12;
constexpr size_t kLegendColumns = 40;  // of a name

using Cells = std::vector<std::string_view>;

class Sketch {
 public:
  Sketch(const Tracks& tracks, const SketchStyle& style)
      : tracks_(tracks), style_(style), scales_(scales_of(tracks)), names_(names_by_time(tracks)) {
    for (size_t i = 0; i < std::min(names_.size(), kLetters); ++i) {
      letters_.try_emplace(names_[i].name, static_cast<char>('a' + i));
    }
    measure();
  }

  std::vector<std::string> finish() {
    add_axis();
    size_t all = tracks_.tracks.size();
    size_t drawn = style_.limit > 0 ? std::min(style_.limit, all) : all;
    choose_labels(drawn);
    for (size_t track = 0; track < drawn; ++track) {
      add_track(track);
    }
    if (size_t rest = all - drawn; rest > 0) {
      add_text(fmt::format("({} more {})", rest, rest == 1 ? "track" : "tracks"));
    }
    add_legend();
    list_marks();
    list_arrows();
    return std::move(lines_);
  }

 private:
  void measure() {
    size_t widest = 0;
    for (const Track& track : tracks_.tracks) {
      widest = std::max(
          widest,
          indent_of(track) + display_columns(terminal_text(track.title)) + suffix_columns(track));
    }
    size_t most = std::max<size_t>(12, style_.width * 3 / 10);
    label_columns_ = std::min(widest, most);
    scale_columns_ = std::min(kMostScale, widest_scale());
    size_t around = label_columns_ + scale_columns_ + 3;
    size_t left = style_.width > around ? style_.width - around : 0;
    axis_ = {.begin_ns = tracks_.begin_ns,
             .end_ns = tracks_.end_ns,
             .columns = std::max(kLeastDrawing, left)};
  }

  // Of what is written after the drawing.
  size_t widest_scale() const {
    size_t widest = 0;
    for (size_t i = 0; i < tracks_.tracks.size(); ++i) {
      const auto& body = tracks_.tracks[i].body;
      if (const auto* series = std::get_if<Series>(&body)) {
        for (const ReportColumn& line : series->lines) {
          widest = std::max(widest, display_columns(scale_text(line, scales_[i])));
        }
      } else if (const auto* lane = std::get_if<SpanLane>(&body)) {
        widest = std::max(widest, more_levels(*lane).size());
      }
    }
    return widest;
  }

  static std::string more_levels(const SpanLane& lane) {
    uint32_t levels = rows_of(lane, UINT32_MAX);
    return levels > kMostDepth ? fmt::format("+{} deeper", levels - kMostDepth) : "";
  }

  static size_t indent_of(const Track& track) { return 2 * std::min<size_t>(track.level, 4); }

  // The labels of the tracks that are drawn, with their indents: different titles stay different.
  void choose_labels(size_t drawn) {
    std::vector<std::string> titles;
    for (const Track& track : std::span(tracks_.tracks).first(drawn)) {
      titles.push_back(terminal_text(track.title));
    }
    std::vector<LabelRow> rows;
    for (size_t i = 0; i < drawn; ++i) {
      const Track& track = tracks_.tracks[i];
      size_t around = indent_of(track) + suffix_columns(track);
      rows.push_back(
          {titles[i],
           std::max(kFewestForTitle, label_columns_ - std::min(label_columns_, around))});
    }
    labels_ = labels_of(rows);
    for (size_t i = 0; i < drawn; ++i) {
      labels_[i].insert(0, indent_of(tracks_.tracks[i]), ' ');
    }
  }

  // Lines of a series with several lines or a band have words of their own after the title.
  static size_t suffix_columns(const Track& track) {
    const auto* series = std::get_if<Series>(&track.body);
    size_t columns = 0;
    for (size_t i = 0; series != nullptr && i < series->lines.size(); ++i) {
      const ReportColumn& line = series->lines[i];
      bool has_words = series->lines.size() > 1 || !line.low.empty();
      columns = std::max(columns, has_words ? display_columns(words_of(line)) + 2 : 0);
    }
    return columns;
  }

  static std::string words_of(const ReportColumn& line) {
    return pad_right(cut_middle(terminal_text(line.title), kMostWords), kLeastWords);
  }

  void add_text(const std::string& text) { lines_.push_back(cut_text(text, style_.width)); }

  void add_line(const std::string& label, const std::string& drawing, const std::string& after) {
    std::string line = pad_right(cut_middle(label, label_columns_), label_columns_) + "  " +
                       drawing + (after.empty() ? "" : " " + cut_text(after, scale_columns_));
    line.resize(line.find_last_not_of(' ') + 1);
    lines_.push_back(std::move(line));
  }

  static std::string joined(const Cells& cells) {
    std::string text;
    for (std::string_view cell : cells) {
      text += cell;
    }
    return text;
  }

  void add_axis() {
    std::string begin = time_text(tracks_.begin_ns);
    std::string end = time_text(tracks_.end_ns);
    size_t between = axis_.columns - std::min(axis_.columns, begin.size() + end.size());
    add_line("", begin + std::string(between, ' ') + end, "");
  }

  void add_track(size_t number) {
    const Track& track = tracks_.tracks[number];
    if (const auto* series = std::get_if<Series>(&track.body)) {
      add_series(labels_[number], *series, scales_[number]);
    } else if (const auto* lane = std::get_if<SpanLane>(&track.body)) {
      add_lane(labels_[number], *lane);
    } else {
      add_marks(labels_[number], std::get<MarkLine>(track.body));
    }
  }

  // ---- Lines ----

  void add_series(std::string label, const Series& series, const ValueScale& scale) {
    std::vector<bool> gaps = gap_columns(all_gaps(series, tracks_), axis_);
    auto add =
        [&](const std::string& words, const std::vector<double>& values, const std::string& after) {
          std::string padding(words.empty() ? 0 : 2, ' ');
          add_line(label + padding + words, bars(values, gaps, scale), after);
          label.assign(display_columns(label), ' ');
        };
    if (series.lines.empty()) {
      add("", std::vector<double>(axis_.columns, NAN), "");
    }
    for (const ReportColumn& line : series.lines) {
      LineColumns columns = line_columns(series, line, axis_);
      bool has_band = !line.low.empty();
      bool is_single = series.lines.size() == 1 && !has_band;
      if (has_band) {
        add("at most ", columns.high, "");
      }
      add(is_single ? "" : words_of(line), columns.value, scale_text(line, scale));
      if (has_band) {
        add("at least", columns.low, "");
      }
    }
  }

  static std::string scale_text(const ReportColumn& line, const ValueScale& scale) {
    std::string high = value_text(line, scale.high);
    return scale.low < 0 ? value_text(line, scale.low) + " to " + high : high;
  }

  std::string bars(const std::vector<double>& values,
                   const std::vector<bool>& gaps,
                   const ValueScale& scale) {
    Cells cells;
    for (size_t at = 0; at < values.size(); ++at) {
      if (gaps[at] || std::isnan(values[at])) {  // a blank would be a zero
        has_gap_ = true;
        cells.push_back(kGap);
        continue;
      }
      double share = std::clamp(scale.share_of(values[at]), 0.0, 1.0);
      auto bar = static_cast<size_t>(std::lround(share * 8));
      bool is_nothing = values[at] == scale.low;
      cells.push_back(kBars[is_nothing ? 0 : std::max<size_t>(1, bar)]);
    }
    return joined(cells);
  }

  // ---- Spans ----

  char letter_of(const SpanLane& lane, size_t span) const {
    if (lane.state[span] != SpanState::kWork) {
      return kStates.at(static_cast<size_t>(lane.state[span]));
    }
    auto own = letters_.find(lane.name[span]);
    return own == letters_.end() ? kOther : own->second;
  }

  void add_lane(std::string label, const SpanLane& lane) {
    uint32_t rows = rows_of(lane, kMostDepth);
    std::vector<bool> gaps = gap_columns(lane.gaps, axis_);
    for (uint32_t depth = 0; depth < rows; ++depth) {
      bool is_last = depth + 1 == rows;
      add_line(label, spans_at(lane, depth, gaps), is_last ? more_levels(lane) : "");
      label.clear();
    }
  }

  // The character that takes most of a column, if it takes at least half of it.
  std::string spans_at(const SpanLane& lane, uint32_t depth, const std::vector<bool>& gaps) {
    std::vector<std::unordered_map<char, double>> covered(axis_.columns);
    auto columns = static_cast<double>(axis_.columns);
    for (size_t span = 0; span < lane.size(); ++span) {
      double begin = axis_.column_of(lane.begin_ns[span]);
      double end = axis_.column_of(lane.end_ns[span]);
      if (lane.depth[span] != depth || end < 0 || begin > columns) {
        continue;
      }
      begin = std::clamp(begin, 0.0, columns - 1e-9);
      end = std::clamp(end, begin, columns);
      for (auto at = static_cast<size_t>(begin);
           at < covered.size() && (static_cast<double>(at) < end || at == size_t(begin));
           ++at) {
        auto left = static_cast<double>(at);
        covered[at][letter_of(lane, span)] += std::min(end, left + 1) - std::max(begin, left);
      }
    }
    std::string text;
    for (size_t at = 0; at < covered.size(); ++at) {
      text += covered[at].empty() && gaps[at] ? kGap : std::string_view(cell_of(covered[at]));
      has_gap_ = has_gap_ || (covered[at].empty() && gaps[at]);
    }
    return text;
  }

  std::string cell_of(const std::unordered_map<char, double>& covered) {
    char best = ' ';
    double most = 0;
    for (auto [letter, time] : covered) {
      if (time > most || (time == most && letter < best)) {
        best = letter;
        most = time;
      }
    }
    if (covered.empty() || most >= 0.5) {
      return {best};
    }
    has_several_ = true;
    return {kSeveral};
  }

  // ---- Marks ----

  void add_marks(const std::string& label, const MarkLine& marks) {
    std::vector<size_t> counts(axis_.columns);
    for (int64_t time : marks.time_ns) {
      double column = axis_.column_of(time);
      if (column >= 0 && column <= static_cast<double>(axis_.columns)) {
        ++counts[std::min(axis_.columns - 1, static_cast<size_t>(column))];
      }
    }
    std::string text;
    for (size_t count : counts) {
      text += count == 0   ? ' '
              : count == 1 ? '|'
              : count < 10 ? static_cast<char>('0' + count)
                           : '+';
      has_marks_ = has_marks_ || count > 0;
      has_many_marks_ = has_many_marks_ || count > 1;
    }
    add_line(label, text, "");
  }

  // ---- Legend and lists ----

  void add_legend() {
    std::vector<std::string> entries;
    size_t named = std::min({names_.size(), letters_.size(), kLegendNames});
    std::vector<std::string> names;
    for (size_t i = 0; i < named; ++i) {
      names.push_back(terminal_text(names_[i].name));
    }
    std::vector<LabelRow> rows;
    for (const std::string& name : names) {
      rows.push_back({name, kLegendColumns});
    }
    std::vector<std::string> labels = labels_of(rows);
    for (size_t i = 0; i < named; ++i) {
      entries.push_back(fmt::format("{} {} {}",
                                    static_cast<char>('a' + i),
                                    labels[i],
                                    weight_text(names_[i].time_ns, "nanoseconds")));
    }
    if (names_.size() > named) {
      entries.push_back(fmt::format(
          "{}{} {} more names",
          named < letters_.size() ? fmt::format("{}-", static_cast<char>('a' + named)) : "",
          names_.size() > kLetters ? kOther : static_cast<char>('a' + names_.size() - 1),
          count_text(static_cast<double>(names_.size() - named))));
    }
    for (SpanState state : states_in(tracks_)) {
      entries.push_back(
          fmt::format("{} {}", kStates.at(static_cast<size_t>(state)), state_name(state)));
    }
    if (has_several_) {
      entries.push_back(fmt::format("{} shorter spans", kSeveral));
    }
    if (has_marks_) {
      entries.emplace_back(has_many_marks_ ? "| mark, 2-9 this many, + more" : "| mark");
    }
    if (has_gap_) {
      entries.push_back(fmt::format("{} no data", kGap));
    }
    add_wrapped(entries);
    list_gaps();
  }

  // Entries with commas between them, broken only there.
  void add_wrapped(const std::vector<std::string>& entries) {
    std::string line;
    for (const std::string& entry : entries) {
      bool fits = display_columns(line) + display_columns(entry) + 3 <= style_.width;
      if (!line.empty() && !fits) {
        add_text(line + ",");
        line.clear();
      }
      line += (line.empty() ? "" : ", ") + entry;
    }
    if (!line.empty()) {
      add_text(line);
    }
  }

  std::vector<Gap> gaps_of(const Track& track) const {
    if (const auto* series = std::get_if<Series>(&track.body)) {
      return all_gaps(*series, tracks_);
    }
    const auto* lane = std::get_if<SpanLane>(&track.body);
    return lane != nullptr ? lane->gaps : std::vector<Gap>();
  }

  void list_gaps() {
    std::vector<Gap> gaps;
    for (const Track& track : tracks_.tracks) {
      for (Gap& own : gaps_of(track)) {
        auto is_same = [&](const Gap& gap) {
          return gap.begin_ns == own.begin_ns && gap.reason == own.reason;
        };
        if (gaps.size() <= kListed && std::ranges::none_of(gaps, is_same)) {
          gaps.push_back(std::move(own));
        }
      }
    }
    for (size_t i = 0; i < std::min(gaps.size(), kListed); ++i) {
      add_text(fmt::format("No data from {} to {}: {}",
                           time_text(gaps[i].begin_ns),
                           time_text(gaps[i].end_ns),
                           terminal_text(gaps[i].reason)));
    }
    if (gaps.size() > kListed) {
      add_text("and more times without data");
    }
  }

  void list_marks() {
    size_t listed = 0;
    size_t all = 0;
    for (const Track& track : tracks_.tracks) {
      const auto* marks = std::get_if<MarkLine>(&track.body);
      for (size_t mark = 0; marks != nullptr && mark < marks->size(); ++mark) {
        if (++all > kListed) {
          continue;
        }
        ++listed;
        double value = marks->value[mark];
        std::string number = std::isnan(value)     ? ""
                             : marks->unit.empty() ? fmt::format(" ({:g})", value)
                                                   : fmt::format(" ({:g} {})", value, marks->unit);
        add_text(
            fmt::format("{:>10}  {}{}",
                        time_text(marks->time_ns[mark]),
                        marks->name[mark].empty() ? "[no name]" : terminal_text(marks->name[mark]),
                        terminal_text(number)));
      }
    }
    add_rest(all, listed, "mark");
  }

  void list_arrows() {
    size_t listed = 0;
    for (const TrackArrow& arrow : tracks_.arrows) {
      if (listed == kListed) {
        break;
      }
      ++listed;
      std::string after =
          arrow.to_ns == arrow.from_ns ? "" : fmt::format(" at {}", time_text(arrow.to_ns));
      add_text(fmt::format("{:>10}  {} -> {}{}  {}",
                           time_text(arrow.from_ns),
                           terminal_text(tracks_.tracks[arrow.from].title),
                           terminal_text(tracks_.tracks[arrow.to].title),
                           after,
                           terminal_text(arrow.name)));
    }
    add_rest(tracks_.arrows.size(), listed, "arrow");
  }

  void add_rest(size_t all, size_t listed, std::string_view noun) {
    if (all > listed) {
      auto rest = static_cast<double>(all - listed);
      add_text(fmt::format(
          "{:>10}  and {} more {}{}", "", count_text(rest), noun, rest == 1 ? "" : "s"));
    }
  }

  const Tracks& tracks_;
  const SketchStyle& style_;
  std::vector<ValueScale> scales_;
  std::vector<NameTime> names_;
  std::unordered_map<std::string, char> letters_;
  size_t label_columns_ = 0;
  size_t scale_columns_ = 0;
  std::vector<std::string> labels_;  // of the tracks that are drawn
  TimeAxis axis_;
  bool has_gap_ = false;
  bool has_several_ = false;
  bool has_marks_ = false;
  bool has_many_marks_ = false;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> sketch_lines(const Tracks& tracks, const SketchStyle& style) {
  SketchStyle own = style;
  own.width = style.width == 0 ? 100 : std::max<size_t>(style.width, 40);
  return Sketch(tracks, own).finish();
}

}  // namespace wick

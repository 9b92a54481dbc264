// SPDX-License-Identifier: Apache-2.0
// LineAdder spreads values over columns and weighs them by time. What no known value and no gap of
// the report covers is unknown. Scales take two passes: the range of each track, then that of each
// unit and group.
#include "views/track_columns.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/plural.h"
#include "views/numbers.h"

namespace wick {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Adds the values of one line to its columns.
class LineAdder {
 public:
  explicit LineAdder(size_t columns)
      : sum_(columns), time_(columns), low_(columns, kInfinity), high_(columns, -kInfinity) {}

  // The value from column `begin` to `end`; a value of no length counts, but weighs next to nothing.
  void add(double begin, double end, double value, double low, double high) {
    constexpr double kNothing = 1e-9;
    auto columns = static_cast<double>(sum_.size());
    if (std::isnan(value) || end < 0 || begin > columns) {
      return;
    }
    begin =
        std::clamp(begin, 0.0, columns - kNothing);  // the end of the axis is in the last column
    end = std::clamp(end, begin, columns);
    for (auto at = static_cast<size_t>(begin); at < sum_.size(); ++at) {
      auto left = static_cast<double>(at);
      if (left >= end && left > begin) {
        break;
      }
      double time = std::max(kNothing, std::min(end, left + 1) - std::max(begin, left));
      sum_[at] += value * time;
      time_[at] += time;
      low_[at] = std::min(low_[at], std::isnan(low) ? value : low);
      high_[at] = std::max(high_[at], std::isnan(high) ? value : high);
    }
  }

  LineColumns finish() {
    LineColumns line{.value = std::move(sum_), .low = std::move(low_), .high = std::move(high_)};
    for (size_t at = 0; at < line.value.size(); ++at) {
      bool is_known = time_[at] > 0;
      line.value[at] = is_known ? line.value[at] / time_[at] : NAN;
      line.low[at] = is_known ? line.low[at] : NAN;
      line.high[at] = is_known ? line.high[at] : NAN;
    }
    return line;
  }

 private:
  std::vector<double> sum_;
  std::vector<double> time_;
  std::vector<double> low_;
  std::vector<double> high_;
};

const std::string& unit_of(const Series& series) {
  static const std::string kNone;
  return series.lines.empty() ? kNone : series.lines[0].unit;
}

}  // namespace

double TimeAxis::column_of(int64_t time) const {
  // Differences of doubles: hostile times must not overflow.
  double length = static_cast<double>(end_ns) - static_cast<double>(begin_ns);
  double from = static_cast<double>(time) - static_cast<double>(begin_ns);
  return length > 0 ? from / length * static_cast<double>(columns) : 0;
}

int64_t TimeAxis::time_of(double column) const {
  double length = static_cast<double>(end_ns) - static_cast<double>(begin_ns);
  return begin_ns + std::llround(column / static_cast<double>(columns) * length);
}

LineColumns line_columns(const Series& series, const ReportColumn& line, const TimeAxis& axis) {
  LineAdder adder(axis.columns);
  for (size_t row = 0; row < series.time_ns.size(); ++row) {
    double begin = axis.column_of(series.time_ns[row]);
    bool is_last = row + 1 == series.time_ns.size();
    double end =
        is_last ? static_cast<double>(axis.columns) : axis.column_of(series.time_ns[row + 1]);
    bool has_band = !line.low.empty();
    adder.add(begin,
              end,
              line.numbers[row],
              has_band ? line.low[row] : NAN,
              has_band ? line.high[row] : NAN);
  }
  return adder.finish();
}

std::vector<Gap> all_gaps(const Series& series, const Tracks& tracks) {
  auto is_known = [&](size_t row) {
    return std::ranges::any_of(
        series.lines, [&](const ReportColumn& line) { return !std::isnan(line.numbers[row]); });
  };
  std::vector<std::pair<int64_t, int64_t>> explained;  // known, or in a gap
  for (const Gap& gap : series.gaps) {
    explained.emplace_back(gap.begin_ns, gap.end_ns);
  }
  for (size_t row = 0; row < series.time_ns.size(); ++row) {
    if (is_known(row)) {
      bool is_last = row + 1 == series.time_ns.size();
      explained.emplace_back(series.time_ns[row],
                             is_last ? tracks.end_ns : series.time_ns[row + 1]);
    }
  }
  std::ranges::sort(explained);
  explained.emplace_back(tracks.end_ns, tracks.end_ns);
  std::vector<Gap> gaps = series.gaps;
  int64_t until = tracks.begin_ns;
  for (auto [begin, end] : explained) {
    if (int64_t next = std::min(begin, tracks.end_ns); next > until) {
      gaps.push_back({until, next, "the value is not known"});
    }
    until = std::max(until, end);
  }
  std::ranges::stable_sort(gaps, {}, &Gap::begin_ns);
  return gaps;
}

std::vector<bool> gap_columns(const std::vector<Gap>& gaps, const TimeAxis& axis) {
  std::vector<bool> is_gap(axis.columns);
  for (const Gap& gap : gaps) {
    double begin = std::max(0.0, axis.column_of(gap.begin_ns));
    double end = std::min(static_cast<double>(axis.columns), axis.column_of(gap.end_ns));
    for (auto at = static_cast<size_t>(std::max(0.0, std::ceil(begin - 0.5)));
         at < is_gap.size() && static_cast<double>(at) + 0.5 <= end;
         ++at) {
      is_gap[at] = true;
    }
  }
  return is_gap;
}

void ValueScale::include(double value) {
  if (std::isfinite(value)) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
}

std::vector<ValueScale> scales_of(const Tracks& tracks) {
  std::vector<ValueScale> scales(tracks.tracks.size());
  std::map<std::pair<std::string, ScaleGroup>, ValueScale> common;  // by unit and group
  for (size_t track = 0; track < scales.size(); ++track) {
    const auto* series = std::get_if<Series>(&tracks.tracks[track].body);
    if (series == nullptr) {
      continue;
    }
    for (const ReportColumn& line : series->lines) {
      for (const std::vector<double>* values : {&line.numbers, &line.low, &line.high}) {
        for (double value : *values) {
          scales[track].include(value);
        }
      }
    }
    if (series->scale != ScaleGroup::kOwn) {
      ValueScale& scale = common[{unit_of(*series), series->scale}];
      scale.include(scales[track].low);
      scale.include(scales[track].high);
    }
  }
  for (size_t track = 0; track < scales.size(); ++track) {
    const auto* series = std::get_if<Series>(&tracks.tracks[track].body);
    if (series != nullptr && series->scale != ScaleGroup::kOwn) {
      scales[track] = common[{unit_of(*series), series->scale}];
    }
  }
  return scales;
}

std::string value_text(const ReportColumn& line, double value) {
  bool has_steps = line.unit == "nanoseconds" || line.unit == "seconds" || line.unit == "bytes";
  if (line.kind == ColumnKind::kWeight || has_steps) {
    return weight_text(value, line.unit);  // 2.5 s, 1.2 MiB
  }
  if (std::isnan(value)) {
    return "-";
  }
  std::string number = number_text(line, value, line.unit);
  // "1 CPU", also of 0.9997.
  std::string unit = terminal_text(number == "1" ? singular(line.unit) : line.unit);
  return number + (unit.empty() ? "" : " ") + unit;
}

std::string time_text(int64_t time_ns) {
  return weight_text(static_cast<double>(time_ns), "nanoseconds");
}

uint32_t rows_of(const SpanLane& lane, uint32_t most) {
  uint32_t deepest = 0;
  for (uint32_t depth : lane.depth) {
    deepest = std::max(deepest, depth);
  }
  return std::min(most, deepest + 1);
}

std::vector<NameTime> names_by_time(const Tracks& tracks) {
  std::unordered_map<std::string_view, double> times;
  for (const Track& track : tracks.tracks) {
    const auto* lane = std::get_if<SpanLane>(&track.body);
    for (size_t span = 0; lane != nullptr && span < lane->size(); ++span) {
      if (lane->state[span] == SpanState::kWork) {
        times[lane->name[span]] +=
            static_cast<double>(lane->end_ns[span]) - static_cast<double>(lane->begin_ns[span]);
      }
    }
  }
  std::vector<NameTime> names;
  names.reserve(times.size());
  for (const auto& [name, time] : times) {
    names.push_back({std::string(name), time});
  }
  std::ranges::sort(names, [](const NameTime& a, const NameTime& b) {
    return a.time_ns != b.time_ns ? a.time_ns > b.time_ns : a.name < b.name;
  });
  return names;
}

std::vector<SpanState> states_in(const Tracks& tracks) {
  std::set<SpanState> states;
  for (const Track& track : tracks.tracks) {
    if (const auto* lane = std::get_if<SpanLane>(&track.body)) {
      states.insert(lane->state.begin(), lane->state.end());
    }
  }
  states.erase(SpanState::kWork);
  return {states.begin(), states.end()};
}

const Tracks* drawn_tracks(const Section& section, Tracks& made) {
  if (const auto* series = std::get_if<Series>(&section.body)) {
    made = as_tracks(*series, section.title);
    return &made;
  }
  return std::get_if<Tracks>(&section.body);
}

}  // namespace wick

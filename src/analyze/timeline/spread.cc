// SPDX-License-Identifier: Apache-2.0
#include "analyze/timeline/spread.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "analyze/timeline/lane_depths.h"
#include "profile/names.h"

namespace wick {
namespace {

// An interval that would have to move by more periods is not a late timer: the file says that more
// was used than there is.
constexpr double kFarthest = 64;
constexpr double kLongestGaps = 4;
constexpr size_t kMostLookedAt = 10'000;
constexpr double kShareWithSpans = 0.25;
constexpr double kClearlyLess = 0.5;
constexpr double kClearShare = 0.02;  // of the weight: overlaps beyond the errors of timers

struct Row {
  size_t row = 0;
  double time = 0;
  double length = 0;  // weight as time
  uint32_t lane = 0;  // what runs one sample at a time: a CPU of a machine, or a thread
};

class Rows {
 public:
  explicit Rows(const Profile& profile) : profile_(profile), first_(sampled_time(profile).first) {
    const SampleColumns& samples = profile.samples;
    for (size_t row = 0; row < samples.size(); ++row) {
      if (samples.time_ns[row] != kNoTime && samples.event[row] == samples.event[0]) {
        rows_.push_back(row_of(row));
      }
    }
    std::ranges::stable_sort(rows_, {}, &Row::time);
  }

  std::vector<Row>& rows() { return rows_; }
  size_t lanes() const { return lanes_.size(); }

 private:
  Row row_of(size_t row) {
    const SampleColumns& samples = profile_.samples;
    ThreadId thread = samples.thread[row];
    SourceId source = source_of(profile_, thread);
    auto machine = static_cast<uint32_t>(source.valid() ? source.index() : 0);
    uint16_t cpu = samples.cpu[row];
    auto key = cpu != kNoCpu ? std::tuple(true, machine, uint32_t{cpu})
                             : std::tuple(false, uint32_t{0}, thread.value);
    auto lane = lanes_.try_emplace(key, static_cast<uint32_t>(lanes_.size())).first->second;
    const Event& event = profile_.events[samples.event[row]];
    double weight = static_cast<double>(samples.weight[row]) / event.scale;
    return {.row = row,
            .time = static_cast<double>(static_cast<uint64_t>(samples.time_ns[row]) -
                                        static_cast<uint64_t>(first_)),
            .length = std::max(0.0, weight),
            .lane = lane};
  }

  const Profile& profile_;
  int64_t first_;
  std::map<std::tuple<bool, uint32_t, uint32_t>, uint32_t> lanes_;
  std::vector<Row> rows_;
};

bool begins_at_sample(const std::vector<Row>& rows, size_t lanes) {
  std::vector<const Row*> before(lanes);
  double backward = 0;  // overlap if samples are at the end of their time
  double forward = 0;
  double whole = 0;
  for (const Row& row : rows) {
    const Row* last = std::exchange(before[row.lane], &row);
    whole += row.length;
    if (last != nullptr) {
      double gap = row.time - last->time;
      backward += std::max(0.0, row.length - gap);
      forward += std::max(0.0, last->length - gap);
    }
  }
  return backward > kClearShare * whole && forward < kClearlyLess * backward;
}

// Samples begin with spans of their threads.
bool are_spans(const Profile& profile, const std::vector<Row>& rows) {
  std::vector<std::pair<int64_t, uint32_t>> begins;
  for (const Span& span : profile.spans) {
    begins.emplace_back(span.begin_ns, span.thread.value);
  }
  std::ranges::sort(begins);
  size_t looked = std::min(rows.size(), kMostLookedAt);
  size_t together = 0;
  for (size_t i = 0; i < looked; ++i) {
    std::pair key(profile.samples.time_ns[rows[i].row], profile.samples.thread[rows[i].row].value);
    together += std::ranges::binary_search(begins, key) ? 1U : 0U;
  }
  return static_cast<double>(together) > static_cast<double>(looked) * kShareWithSpans;
}

// From the first to the last span, mark and point; none if they have no times.
std::optional<TimeRange> time_without_samples(const Profile& profile) {
  TimeRange range{INT64_MAX, INT64_MIN};
  auto add = [&](int64_t time) {
    if (time != kNoTime) {
      range.first = std::min(range.first, time);
      range.last = std::max(range.last, time);
    }
  };
  for (const Span& span : profile.spans) {
    add(span.begin_ns);
    add(span.begin_ns == kNoTime ? kNoTime : end_of(span));
  }
  for (const Mark& mark : profile.marks) {
    add(mark.time_ns);
  }
  for (size_t row = 0; row < profile.counters.size(); ++row) {
    add(profile.counters.time_ns[row]);
  }
  return range.first > range.last ? std::nullopt : std::optional(range);
}

// Time begins at 0.
void move_inside(const std::vector<Row>& rows, size_t lanes, std::vector<SpreadRow>& spread) {
  std::vector<double> free(lanes, std::numeric_limits<double>::infinity());  // before this time
  for (size_t i = rows.size(); i-- > 0;) {
    SpreadRow& own = spread[i];
    double length = own.end_ns - own.begin_ns;
    if (length <= 0) {
      continue;
    }
    double& room = free[rows[i].lane];
    if (own.end_ns <= 0) {
      own.end_ns = std::max(own.end_ns, std::min(length, room));
      own.begin_ns = own.end_ns - length;
    }
    room = own.begin_ns;
  }
}

std::vector<SpreadRow> spread_backward(const std::vector<Row>& rows, size_t lanes) {
  std::vector<SpreadRow> spread(rows.size());
  std::vector<double> free(lanes, std::numeric_limits<double>::infinity());  // before this time
  for (size_t i = rows.size(); i-- > 0;) {
    const Row& row = rows[i];
    bool is_near = row.time - free[row.lane] <= kFarthest * row.length;
    double at = is_near ? std::min(row.time, free[row.lane]) : row.time;
    free[row.lane] = at - row.length;
    spread[i] = {row.row, at - row.length, at};
  }
  move_inside(rows, lanes, spread);
  return spread;
}

std::vector<SpreadRow> spread_forward(const std::vector<Row>& rows, size_t lanes) {
  std::vector<SpreadRow> spread(rows.size());
  std::vector<double> free(lanes, -std::numeric_limits<double>::infinity());  // after this time
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    bool is_near = free[row.lane] - row.time <= kFarthest * row.length;
    double at = is_near ? std::max(row.time, free[row.lane]) : row.time;
    free[row.lane] = at + row.length;
    spread[i] = {row.row, at, at + row.length};
  }
  return spread;
}

std::vector<SpreadRow> spread_to_gaps(const std::vector<Row>& rows, size_t lanes) {
  std::vector<double> before(lanes, NAN);
  std::vector<double> since;
  std::vector<double> known;
  for (const Row& row : rows) {
    since.push_back(row.time - before[row.lane]);  // NaN: the first of its lane
    before[row.lane] = row.time;
    if (since.back() > 0 && known.size() < kMostLookedAt) {
      known.push_back(since.back());
    }
  }
  std::ranges::sort(known);
  double usual = known.empty() ? 0 : known[known.size() / 2];
  std::vector<SpreadRow> spread;
  for (size_t i = 0; i < rows.size(); ++i) {
    double gap = std::isnan(since[i]) ? usual : std::min(since[i], kLongestGaps * usual);
    spread.push_back({rows[i].row, rows[i].time - gap, rows[i].time});
  }
  move_inside(rows, lanes, spread);
  std::vector<size_t> first(lanes);  // of the samples of one time
  for (size_t i = 0; i < rows.size(); ++i) {
    size_t& same = first[rows[i].lane];
    same = since[i] == 0 ? same : i;
    spread[i].begin_ns = spread[same].begin_ns;
    spread[i].end_ns = spread[same].end_ns;
  }
  return spread;
}

}  // namespace

std::vector<SpreadRow> spread_samples(const Profile& profile) {
  Rows all(profile);
  const std::vector<Row>& rows = all.rows();
  if (rows.empty()) {
    return {};
  }
  const Event& event = profile.events[profile.samples.event[rows[0].row]];
  if (profile.strings[event.unit] != "nanoseconds") {
    return spread_to_gaps(rows, all.lanes());
  }
  return begins_at_sample(rows, all.lanes()) || are_spans(profile, rows)
             ? spread_forward(rows, all.lanes())
             : spread_backward(rows, all.lanes());
}

bool has_times_to_show(const Profile& profile) {
  return profile.has_time() || time_without_samples(profile).has_value();
}

TimeRange shown_time(const Profile& profile, const std::vector<SpreadRow>& spread) {
  constexpr double kMost = 4e18;  // the sum of two such times is one
  if (!profile.has_time()) {
    return time_without_samples(profile).value_or(TimeRange());
  }
  TimeRange range = sampled_time(profile);
  double end = 0;
  for (const SpreadRow& row : spread) {
    end = std::max(end, row.end_ns);
  }
  if (end < kMost && static_cast<double>(range.first) < kMost) {
    range.last = std::max<int64_t>(range.last, range.first + std::llround(end));
  }
  return range;
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Makes the tracks in this order:
//
//     1. the samples by thread, each with the time that it represents (spread.h)
//     2. processes and threads, the busiest first, each with its spans below it; after the threads
//        of an interpreted program, who holds its lock
//     3. the other threads as one track
//     4. spans of no thread, counters, marks by kind, lost data
//     5. arrows from what ended a wait to its span
//
// What is outside of the sampled time, or too much for a picture, is counted in a note.
#include "analyze/timeline/timeline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analyze/lanes.h"
#include "analyze/summary.h"
#include "analyze/timeline/lane_depths.h"
#include "analyze/timeline/lock_lane.h"
#include "analyze/timeline/spread.h"
#include "profile/names.h"
#include "profile/time_range.h"
#include "report/amounts.h"
#include "report/columns.h"

namespace wick {
namespace {

constexpr size_t kMostCounters = 40;
constexpr size_t kMostKinds = 12;  // tracks of marks; other kinds share one

constexpr std::array kTimelineFlags = {
    Flag{"points", '\0', FlagKind::kInteger, "N", "400", "points of each line"},
    Flag{"threads",
         '\0',
         FlagKind::kInteger,
         "N",
         "20",
         "threads with tracks of their own, the busiest first, 0 for all"},
};

using Activity = std::vector<double>;  // weight by step

// Adds the weight of samples to equal steps of time. What they represent outside of these is not
// added: in the first or the last step it would be a peak.
class Steps {
 public:
  Steps(double length_ns, size_t steps)
      : steps_(steps), width_(length_ns > 0 ? length_ns / static_cast<double>(steps) : 1) {}

  void add(const SpreadRow& spread, double weight, Activity& activity) const {
    double begin = spread.begin_ns / width_;
    double end = spread.end_ns / width_;
    activity.resize(steps_);
    if (end <= begin) {
      activity[step_at(end)] += weight;
      return;
    }
    double length = end - begin;
    begin = std::max(begin, 0.0);
    end = std::min(end, static_cast<double>(steps_));
    if (begin >= end) {
      return;
    }
    for (size_t step = step_at(begin); step < steps_ && static_cast<double>(step) < end; ++step) {
      auto left = static_cast<double>(step);
      activity[step] += weight * (std::min(end, left + 1) - std::max(begin, left)) / length;
    }
  }

 private:
  size_t step_at(double step) const {
    return static_cast<size_t>(std::clamp(step, 0.0, static_cast<double>(steps_ - 1)));
  }

  size_t steps_;
  double width_;
};

double weight_of(const Profile& profile, size_t row) {
  const Event& event = profile.events[profile.samples.event[row]];
  return static_cast<double>(profile.samples.weight[row]) / event.scale;
}

// Samples by process and thread: of 100,000 threads, the activity of one is made at a time.
class RowsOfThreads {
 public:
  RowsOfThreads(const Profile& profile, std::vector<SpreadRow> rows)
      : profile_(profile), rows_(std::move(rows)) {
    std::ranges::stable_sort(rows_, {}, [&](const SpreadRow& row) { return key_of(row); });
  }

  // Samples of no thread have an invalid one.
  std::span<const SpreadRow> of(ThreadId thread) const {
    return between(std::ranges::equal_range(
        rows_, key_of(thread), {}, [&](const SpreadRow& row) { return key_of(row); }));
  }
  std::span<const SpreadRow> of(ProcessId process) const {
    return between(std::ranges::equal_range(
        rows_, process, {}, [&](const SpreadRow& row) { return key_of(row).first; }));
  }

 private:
  using Key = std::pair<ProcessId, ThreadId>;

  Key key_of(ThreadId thread) const {
    return {thread.valid() ? profile_.threads[thread].process : ProcessId(), thread};
  }
  Key key_of(const SpreadRow& row) const { return key_of(profile_.samples.thread[row.row]); }

  static std::span<const SpreadRow> between(auto range) { return {range.begin(), range.end()}; }

  const Profile& profile_;
  std::vector<SpreadRow> rows_;
};

// The rows of Tracks::stacks for stacks of a profile.
class TrackStacks {
 public:
  TrackStacks(const Profile& profile, Tree& tree) : profile_(profile), tree_(tree) {
    tree_.nodes.columns.push_back(name_column("function"));
  }

  uint32_t row_of(StackId stack) {
    if (stack == kEmptyStack) {
      return kNoTrackStack;
    }
    std::vector<StackId> missing;  // innermost first
    StackId at = stack;
    for (; at != kEmptyStack && !rows_.contains(at.index()); at = profile_.stacks.parent(at)) {
      missing.push_back(at);
    }
    uint32_t parent = at == kEmptyStack ? kNoTrackStack : rows_.at(at.index());
    for (size_t i = missing.size(); i-- > 0;) {
      auto row = static_cast<uint32_t>(tree_.parent.size());
      tree_.parent.push_back(parent == kNoTrackStack ? row : parent);
      tree_.nodes.columns[0].text.push_back(
          frame_name(profile_, profile_.stacks.frame(missing[i])));
      rows_.try_emplace(missing[i].index(), row);
      parent = row;
    }
    return parent;
  }

 private:
  const Profile& profile_;
  Tree& tree_;
  std::unordered_map<size_t, uint32_t> rows_;  // by stack
};

class Timeline {
 public:
  Timeline(const Profile& profile, const TimelineOptions& options, std::vector<SpreadRow> spread)
      : profile_(profile),
        options_(options),
        time_(shown_time(profile, spread)),
        length_(static_cast<double>(since_start(time_.last))),
        rows_(profile, std::move(spread)),
        stacks_(profile, tracks_.stacks),
        pauses_(recording_gaps(profile)) {
    tracks_.end_ns = since_start(time_.last);
    list_spans();
  }

  Tracks finish(std::vector<std::string>& notes) {
    add_threads();
    for (const auto& [kind, rows] : spans_by_kind_) {
      add_spans(std::string(name_of(kind)), 0, rows);
    }
    add_counters();
    add_marks();
    add_losses();
    add_arrows();
    add_notes(notes);
    check_tracks(tracks_);
    return std::move(tracks_);
  }

 private:
  bool is_inside(int64_t begin, int64_t end) const {
    return begin != kNoTime && end >= time_.first && begin <= time_.last;
  }
  int64_t since_start(int64_t time) const { return time_since(time_.first, time); }

  void list_spans() {
    for (size_t row = 0; row < profile_.spans.size(); ++row) {
      const Span& span = profile_.spans[row];
      if (!is_inside(span.begin_ns, end_of(span))) {
        ++outside_;
      } else if (span.thread.valid()) {
        spans_by_thread_[span.thread.index()].push_back(row);
      } else {
        spans_by_kind_[span.kind].push_back(row);
      }
    }
  }

  uint32_t add(Track track) {
    tracks_.tracks.push_back(std::move(track));
    return static_cast<uint32_t>(tracks_.tracks.size() - 1);
  }

  // ---- Threads ----

  // Weight per time: CPUs if the event is time.
  Series series_of(const Activity& activity, ScaleGroup scale) const {
    bool has_events = !profile_.events.empty();
    const Event event = has_events ? profile_.events[EventId(0)] : Event();
    std::string unit = has_events ? std::string(profile_.strings[event.unit]) : "";
    bool is_time = unit == "nanoseconds";
    bool is_waiting = event.kind == Quantity::kOffCpu || event.kind == Quantity::kWallTime;
    unit = is_time ? (is_waiting ? "threads" : "CPUs") : unit + "/s";
    Series series{.scale = scale};
    ReportColumn line = in_unit(unit, number_column("activity", unit));
    double step = length_ / static_cast<double>(options_.points);
    for (size_t i = 0; i < activity.size(); ++i) {
      // A value holds to the next one: most threads are idle most of the time.
      if (i > 0 && activity[i] == 0 && activity[i - 1] == 0) {
        continue;
      }
      series.time_ns.push_back(std::llround(static_cast<double>(i) * step));
      double per_ns = step > 0 ? activity[i] / step : 0;
      line.numbers.push_back(is_time ? per_ns : 1e9 * per_ns);
    }
    series.lines.push_back(std::move(line));
    series.gaps = pauses_;
    return series;
  }

  // Threads with samples or spans, the busiest first. Samples of no thread are not among them.
  std::vector<ThreadId> ranked_threads() const {
    std::vector<double> weights(profile_.threads.size());
    std::vector<bool> is_seen(profile_.threads.size());
    for (size_t row = 0; row < profile_.samples.size(); ++row) {
      ThreadId thread = profile_.samples.thread[row];
      if (thread.valid() && profile_.samples.time_ns[row] != kNoTime) {
        weights[thread.index()] += weight_of(profile_, row);
        is_seen[thread.index()] = true;
      }
    }
    std::vector<ThreadId> threads;
    for (size_t row = 0; row < weights.size(); ++row) {
      if (is_seen[row] || spans_by_thread_.contains(row)) {
        threads.push_back(ThreadId::from_index(row));
      }
    }
    std::ranges::stable_sort(
        threads, [&](ThreadId a, ThreadId b) { return weights[a.index()] > weights[b.index()]; });
    return threads;
  }

  void add_activity(std::span<const SpreadRow> rows, Activity& activity) const {
    Steps steps(length_, options_.points);
    for (const SpreadRow& spread : rows) {
      steps.add(spread, weight_of(profile_, spread.row), activity);
    }
  }

  Series series_of(std::span<const SpreadRow> rows, ScaleGroup scale) const {
    Activity activity(options_.points);
    add_activity(rows, activity);
    return series_of(activity, scale);
  }

  // A thread that executes another program, and one that gets the number of an older one, can have
  // its name, and so can their processes: "bash 7", "bash 7 (2)".
  template <typename IdType>
  std::map<IdType, std::string> distinct_titles(const std::vector<IdType>& ids,
                                                std::string (*name_of_id)(const Profile&,
                                                                          IdType)) const {
    std::map<IdType, std::string> titles;
    for (IdType id : ids) {
      titles.try_emplace(id);
    }
    std::unordered_map<std::string, size_t> counts;
    for (auto& [id, title] : titles) {
      title = name_of_id(profile_, id);
      if (size_t count = ++counts[title]; count > 1) {
        title += fmt::format(" ({})", count);
      }
    }
    return titles;
  }

  void add_threads() {
    std::vector<ThreadId> threads = ranked_threads();
    thread_titles_ = distinct_titles(threads, thread_name);
    size_t own = options_.most_threads == 0 ? threads.size()
                                            : std::min(threads.size(), options_.most_threads);
    std::vector<ProcessId> processes;
    std::map<uint32_t, std::vector<ThreadId>> of_process;
    for (size_t i = 0; i < own; ++i) {
      ProcessId process = profile_.threads[threads[i]].process;
      if (of_process[process.value].empty()) {
        processes.push_back(process);
      }
      of_process[process.value].push_back(threads[i]);
    }
    std::map<uint32_t, size_t> all_of_process;
    std::vector<ProcessId> process_of_each;
    for (ThreadId thread : threads) {
      process_of_each.push_back(profile_.threads[thread].process);
      ++all_of_process[process_of_each.back().value];
    }
    auto process_titles = distinct_titles(process_of_each, process_name);
    for (ProcessId process : processes) {
      // A process of one thread has its activity.
      bool is_named = processes.size() > 1 && process.valid() && all_of_process[process.value] > 1;
      if (is_named) {
        add({.title = process_titles.at(process),
             .body = series_of(rows_.of(process), ScaleGroup::kSums)});
      }
      for (ThreadId thread : of_process[process.value]) {
        add_thread(thread,
                   is_named ? 1 : 0,
                   is_named ? title_below_process(thread, process_titles.at(process))
                            : thread_titles_.at(thread));
      }
      add_lock(process, process_titles.at(process), is_named ? 1 : 0);
    }
    distinguish_span_tracks();
    add_others(std::span(threads).subspan(own));
  }

  void add_lock(ProcessId process, const std::string& title, uint32_t level) {
    if (!process.valid()) {
      return;
    }
    SpanLane lane =
        lock_lane(profile_, rows_.of(process), thread_titles_, tracks_.end_ns, options_.points);
    if (lane.size() > 0) {
      add({.title = "GIL of " + title, .level = level, .body = std::move(lane)});
    }
  }

  // Below its process, the main thread would have the same title.
  std::string title_below_process(ThreadId thread, const std::string& process) const {
    const std::string& title = thread_titles_.at(thread);
    bool is_main = title == process && profile_.threads[thread].tid >= 0;
    return is_main ? title + " (main thread)" : title;
  }

  void add_thread(ThreadId thread, uint32_t level, std::string title) {
    track_of_[thread.index()] = add({.title = std::move(title),
                                     .level = level,
                                     .body = series_of(rows_.of(thread), ScaleGroup::kParts)});
    if (auto spans = spans_by_thread_.find(thread.index()); spans != spans_by_thread_.end()) {
      span_tracks_.emplace_back(add_spans(title_of_spans(spans->second), level + 1, spans->second),
                                thread);
    }
  }

  // The name of the spans if all have one, else their kinds.
  std::string title_of_spans(const std::vector<size_t>& rows) const {
    StringId name = profile_.spans[rows[0]].name;
    bool is_one_name = true;
    std::set<std::string_view> kinds;
    for (size_t row : rows) {
      const Span& span = profile_.spans[row];
      is_one_name = is_one_name && span.name == name;
      kinds.insert(name_of(span.kind));
    }
    std::string_view title = profile_.strings[name];
    return is_one_name && !title.empty() ? std::string(title)
                                         : fmt::format("{}", fmt::join(kinds, ", "));
  }

  // Spans of several threads have one title: then it has the thread, too.
  void distinguish_span_tracks() {
    std::unordered_map<std::string, size_t> counts;
    for (const auto& [track, thread] : span_tracks_) {
      ++counts[tracks_.tracks[track].title];
    }
    for (const auto& [track, thread] : span_tracks_) {
      std::string& title = tracks_.tracks[track].title;
      if (counts.at(title) > 1) {
        title += " of " + thread_titles_.at(thread);
      }
    }
  }

  void add_others(std::span<const ThreadId> others) {
    Activity activity;
    for (ThreadId thread : others) {
      add_activity(rows_.of(thread), activity);
      auto spans = spans_by_thread_.find(thread.index());
      hidden_spans_ += spans == spans_by_thread_.end() ? 0 : spans->second.size();
    }
    add_activity(rows_.of(ThreadId()), activity);
    if (activity.empty()) {
      return;
    }
    add({.title = others.empty() ? "[unknown thread]"
                                 : fmt::format("{} other thread{}",
                                               count_text(static_cast<double>(others.size())),
                                               others.size() == 1 ? "" : "s"),
         .body = series_of(activity, ScaleGroup::kSums)});
  }

  // ---- Spans ----

  uint32_t add_spans(std::string title, uint32_t level, const std::vector<size_t>& rows) {
    PlacedSpans placed = place_spans(profile_, rows);
    crowded_ += placed.left_out;
    SpanLane lane;
    for (const PlacedSpan& at : placed.spans) {
      const Span& span = profile_.spans[at.row];
      lane.add({.begin_ns = since_start(span.begin_ns),
                .end_ns = since_start(end_of(span)),
                .depth = at.depth,
                .state = span.kind == SpanKind::kOffCpu ? SpanState::kBlocked : SpanState::kWork,
                .name = profile_.strings[span.name],
                .category = name_of(span.kind),
                .stack = stacks_.row_of(span.stack)});
    }
    return add({.title = std::move(title), .level = level, .body = std::move(lane)});
  }

  // A wake-up has no time of its own: it is at the end of the wait.
  void add_arrows() {
    for (const auto& [thread, rows] : spans_by_thread_) {
      auto to = track_of_.find(thread);
      for (size_t row : rows) {
        const Span& span = profile_.spans[row];
        if (!span.waker.valid()) {
          continue;
        }
        auto from = track_of_.find(span.waker.index());
        if (from == track_of_.end() || to == track_of_.end()) {
          ++hidden_arrows_;
          continue;
        }
        tracks_.arrows.push_back({.from = from->second,
                                  .to = to->second,
                                  .from_ns = since_start(end_of(span)),
                                  .to_ns = since_start(end_of(span)),
                                  .name = "wake-up",
                                  .stack = stacks_.row_of(span.waker_stack)});
      }
    }
    std::ranges::stable_sort(tracks_.arrows, {}, &TrackArrow::from_ns);
  }

  // ---- Counters, marks, losses ----

  std::string title_of(const CounterSeries& series) const {
    std::string name(profile_.strings[series.name]);
    if (series.thread.valid()) {
      return fmt::format("{} of {}", name, thread_name(profile_, series.thread));
    }
    if (series.process.valid()) {
      return fmt::format("{} of {}", name, process_name(profile_, series.process));
    }
    std::string suffix = series.source.valid() ? source_suffix(profile_, series.source) : "";
    return series.cpu == kNoCpu ? name + suffix
                                : fmt::format("{} of CPU {}{}", name, series.cpu, suffix);
  }

  void add_counters() {
    std::vector<std::vector<size_t>> rows(profile_.series.size());
    for (size_t row = 0; row < profile_.counters.size(); ++row) {
      int64_t time = profile_.counters.time_ns[row];
      if (is_inside(time, time)) {
        rows[profile_.counters.series[row].index()].push_back(row);
      } else {
        ++outside_;
      }
    }
    size_t added = 0;
    for (size_t series = 0; series < rows.size(); ++series) {
      if (rows[series].empty()) {
        continue;
      }
      if (++added > kMostCounters) {
        ++hidden_counters_;
        continue;
      }
      add_counter(profile_.series[SeriesId::from_index(series)], std::move(rows[series]));
    }
  }

  void add_counter(const CounterSeries& counter, std::vector<size_t> rows) {
    const CounterColumns& points = profile_.counters;
    std::ranges::stable_sort(rows, {}, [&](size_t row) { return points.time_ns[row]; });
    Series series;
    ReportColumn line =
        in_unit(std::string(profile_.strings[counter.unit]),
                number_column("value", std::string(profile_.strings[counter.name])));
    bool has_band =
        std::ranges::any_of(rows, [&](size_t row) { return !std::isnan(double{points.low[row]}); });
    for (size_t row : rows) {
      series.time_ns.push_back(since_start(points.time_ns[row]));
      line.numbers.push_back(points.value[row]);
      if (has_band) {
        line.low.push_back(points.low[row]);
        line.high.push_back(points.high[row]);
      }
    }
    series.lines.push_back(std::move(line));
    add({.title = title_of(counter), .body = std::move(series)});
  }

  void add_marks() {
    std::map<std::string, std::vector<size_t>> kinds;
    for (size_t row = 0; row < profile_.marks.size(); ++row) {
      const Mark& mark = profile_.marks[row];
      if (!is_inside(mark.time_ns, mark.time_ns)) {
        ++outside_;
        continue;
      }
      std::string kind(profile_.strings[mark.kind]);
      bool has_room = kinds.contains(kind) || kinds.size() < kMostKinds;
      kinds[has_room ? kind : "other marks"].push_back(row);
    }
    for (auto& [kind, rows] : kinds) {
      std::ranges::stable_sort(rows, {}, [&](size_t row) { return profile_.marks[row].time_ns; });
      MarkLine line;
      for (size_t row : rows) {
        const Mark& mark = profile_.marks[row];
        line.add(since_start(mark.time_ns),
                 profile_.strings[mark.name],
                 mark.has_value ? mark.value : NAN);
      }
      add({.title = kind.empty() ? "marks" : kind, .body = std::move(line)});
    }
  }

  void add_losses() {
    SpanLane lane;
    std::vector<const LossMoment*> rows;
    for (const LossMoment& moment : profile_.loss_moments) {
      int64_t begin = moment.begin_ns != kNoTime ? moment.begin_ns : moment.end_ns;
      if (is_inside(begin, std::max(begin, moment.end_ns))) {
        rows.push_back(&moment);
      }
    }
    auto begin_of = [](const LossMoment* moment) {
      return moment->begin_ns != kNoTime ? moment->begin_ns : moment->end_ns;
    };
    std::ranges::stable_sort(rows, {}, begin_of);
    int64_t free = INT64_MIN;
    for (const LossMoment* moment : rows) {
      const Loss& loss = profile_.losses[moment->loss.index()];
      std::string name = fmt::format("{}{}: {}",
                                     moment->count > 0 ? fmt::format("{} ", moment->count) : "",
                                     profile_.strings[loss.what],
                                     profile_.strings[loss.reason]);
      // Losses of several CPUs overlap; the lane shows when data are missing, one after the other.
      int64_t begin = std::max(begin_of(moment), free);
      int64_t end = std::max(begin, moment->end_ns);
      lane.add({.begin_ns = since_start(begin),
                .end_ns = since_start(end),
                .name = name,
                .category = "lost"});
      free = end;
    }
    if (lane.size() > 0) {
      add({.title = "lost data", .body = std::move(lane)});
    }
  }

  // ---- Notes ----

  void add_notes(std::vector<std::string>& notes) const {
    auto note = [&](size_t count, std::string_view one, std::string_view many, auto rest) {
      if (count > 0) {
        notes.push_back(fmt::format("{} {} {}", count, count == 1 ? one : many, rest));
      }
    };
    note(outside_,
         "span, mark or point is",
         "spans, marks or points are",
         "before the first sample or after the last one, or without a time, and left out.");
    if (tracks_.end_ns == INT64_MAX) {
      notes.emplace_back("The samples span more than 292 years; what is later is left out.");
    }
    note(hidden_spans_, "span is", "spans are", "on threads without a track; --threads 0 has all.");
    note(crowded_, "span is", "spans are", "left out: too many overlap.");
    note(hidden_counters_, "counter has", "counters have", "no track: there are too many.");
    note(hidden_arrows_,
         "wake-up is",
         "wake-ups are",
         "not drawn: a thread has no track; --threads 0 has all.");
  }

  const Profile& profile_;
  const TimelineOptions& options_;
  TimeRange time_;
  double length_;
  RowsOfThreads rows_;
  Tracks tracks_;
  TrackStacks stacks_;
  std::vector<Gap> pauses_;
  std::map<size_t, std::vector<size_t>> spans_by_thread_;
  std::map<SpanKind, std::vector<size_t>> spans_by_kind_;
  std::map<ThreadId, std::string> thread_titles_;
  std::unordered_map<size_t, uint32_t> track_of_;  // by thread
  std::vector<std::pair<uint32_t, ThreadId>> span_tracks_;
  size_t outside_ = 0;
  size_t hidden_spans_ = 0;
  size_t crowded_ = 0;
  size_t hidden_counters_ = 0;
  size_t hidden_arrows_ = 0;
};

}  // namespace

Report timeline(const Profile& profile, const TimelineOptions& options) {
  Report report = start_report(profile, costs_of_first_event(profile), "Timeline");
  Tracks tracks;
  if (has_times_to_show(profile)) {
    tracks = Timeline(profile, options, spread_samples(profile)).finish(report.notes);
  } else {
    report.notes.push_back(
        fmt::format("{}, so there is nothing to show over time.",
                    profile.samples.empty()
                        ? "There are no samples, and no spans, marks or counters with a time"
                        : "The samples have no times"));
  }
  report.sections.push_back({"tracks", report.title, std::move(tracks)});
  return report;
}

std::span<const Flag> timeline_flags() {
  return kTimelineFlags;
}

Result<Report> run_timeline(const Profile& profile, std::string_view, const FlagValues& flags) {
  constexpr size_t kMostPoints = 100'000;
  size_t points = flags.integer("points");
  if (points == 0 || points > kMostPoints) {
    return fail_usage("--points takes 1 to {}.", kMostPoints);
  }
  return timeline(profile, {.points = points, .most_threads = flags.integer("threads")});
}

}  // namespace wick

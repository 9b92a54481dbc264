// SPDX-License-Identifier: Apache-2.0
// Writes packets (perfetto.h) in this order: the clock, tracks of processes and threads, samples of
// each event in order of time, spans, counters and marks.
//
// Tracks: a process and a thread have one each. Spans of a thread that overlap without being nested
// get another track of the same thread, because begin and end of one track must nest. Counters have
// one for each series. Marks without a thread share one for each kind.
//
// Perfetto finds threads by numbers, so threads and processes without one get numbers that no other
// has.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "base/protobuf.h"
#include "base/utf8.h"
#include "formats/perfetto/interned.h"
#include "formats/perfetto/perfetto.h"
#include "profile/names.h"

namespace wick::perfetto {
namespace {

enum TrackEventType : uint64_t { kBegin = 1, kEnd = 2, kInstant = 3, kCounter = 4 };
constexpr uint64_t kFirstPacket = 1;
constexpr uint64_t kLaterPacket = 2;
constexpr int64_t kMadeUpStepNs = 1000;
constexpr uint64_t kTimeline = 1;  // the sequence of spans, counters and marks

uint64_t time_of(int64_t time_ns) {
  return time_ns < 0 ? 0 : static_cast<uint64_t>(time_ns);
}

// Numbers of processes and threads. Numbers above all real ones replace unknown and repeated ones.
class TaskNumbers {
 public:
  explicit TaskNumbers(const Profile& profile) {
    std::set<int64_t> used;
    int64_t next = 1 << 30;
    auto choose = [&](int64_t wanted) {
      bool is_free = wanted >= 0 && wanted < (1 << 30) && used.insert(wanted).second;
      return static_cast<uint64_t>(is_free ? wanted : next++);
    };
    for (const Process& process : profile.processes) {
      processes_.push_back(choose(process.pid));
    }
    used.clear();
    for (const Thread& thread : profile.threads) {
      threads_.push_back(choose(thread.tid));
      owners_.push_back(thread.process.valid() ? processes_[thread.process.index()]
                                               : static_cast<uint64_t>(next++));
    }
  }
  uint64_t pid(ProcessId process) const { return processes_[process.index()]; }
  uint64_t tid(ThreadId thread) const { return threads_[thread.index()]; }
  uint64_t pid_of(ThreadId thread) const { return owners_[thread.index()]; }

 private:
  std::vector<uint64_t> processes_;
  std::vector<uint64_t> threads_;
  std::vector<uint64_t> owners_;  // the process of each thread
};

class Writer {
 public:
  Writer(const Profile& profile, Output& out) : profile_(profile), out_(out), numbers_(profile) {}

  void run() {
    write_clock();
    write_tasks();
    for (size_t event = 0; event < profile_.events.size(); ++event) {
      write_samples(EventId::from_index(event));
    }
    Interned interned(profile_);
    ProtoWriter first;
    first.number(10, kTimeline);
    first.number(13, kFirstPacket);
    packet(first);
    write_spans(interned);
    write_counters();
    write_marks();
  }

 private:
  void packet(const ProtoWriter& content) {
    trace_.clear();
    trace_.message(1, content);
    out_.write(trace_.bytes());
  }

  // The trace's clock is the profile's, which need not be the boot time that Perfetto assumes.
  void write_clock() {
    int64_t wall_clock =
        profile_.sources.empty() ? kNoTime : profile_.sources[SourceId(0)].wall_clock_ns;
    if (wall_clock <= 0) {
      return;
    }
    constexpr uint64_t kRealTime = 1;
    constexpr uint64_t kBootTime = 6;
    ProtoWriter snapshot;
    for (auto [clock, time] : {std::pair(kBootTime, uint64_t{1}),
                               std::pair(kRealTime, static_cast<uint64_t>(wall_clock) + 1)}) {
      ProtoWriter row;
      row.number(1, clock);
      row.number(2, time);
      snapshot.message(1, row);
    }
    ProtoWriter content;
    content.message(6, snapshot);
    packet(content);
  }

  void write_track(uint64_t id, uint64_t parent, std::string_view name, const ProtoWriter& more) {
    ProtoWriter track;
    track.number(1, id);
    track.text(2, valid_utf8(name));
    track.number(5, parent);
    track.append(more);
    ProtoWriter content;
    content.message(60, track);
    packet(content);
  }

  void write_tasks() {
    for (size_t row = 0; row < profile_.processes.size(); ++row) {
      ProcessId process = ProcessId::from_index(row);
      ProtoWriter task;
      task.number(1, numbers_.pid(process));
      task.text(6, valid_utf8(profile_.strings[profile_.processes[process].name]));
      ProtoWriter more;
      more.message(3, task);
      process_tracks_.push_back(next_track_);
      write_track(next_track_++, 0, {}, more);
    }
    for (size_t row = 0; row < profile_.threads.size(); ++row) {
      ThreadId thread = ThreadId::from_index(row);
      const Thread& known = profile_.threads[thread];
      ProtoWriter task;
      task.number(1, numbers_.pid_of(thread));
      task.number(2, numbers_.tid(thread));
      task.text(5, valid_utf8(profile_.strings[known.name]));
      ProtoWriter more;
      more.message(4, task);
      uint64_t parent = known.process.valid() ? process_tracks_[known.process.index()] : 0;
      thread_tracks_.push_back(next_track_);
      write_track(next_track_++, parent, {}, more);
    }
  }

  void write_samples(EventId event) {
    std::vector<size_t> rows;
    bool has_time = false;
    for (size_t row = 0; row < profile_.samples.size(); ++row) {
      if (profile_.samples.event[row] == event) {
        rows.push_back(row);
        has_time = has_time || profile_.samples.time_ns[row] != kNoTime;
      }
    }
    if (rows.empty()) {
      return;
    }
    std::ranges::stable_sort(rows, {}, [&](size_t row) { return profile_.samples.time_ns[row]; });
    uint64_t sequence = kTimeline + 1 + event.index();
    write_event(event, sequence, has_time);
    Interned interned(profile_);
    uint64_t total = 0;
    int64_t made_up_ns = 0;
    for (size_t row : rows) {
      Sample sample = profile_.samples[row];
      total += static_cast<uint64_t>(sample.weight);
      if (!has_time) {
        sample.time_ns = made_up_ns += kMadeUpStepNs;
      }
      write_sample(sample, sequence, total / profile_.events[event].scale, interned);
    }
  }

  // The first packet of a sequence of samples.
  void write_event(EventId id, uint64_t sequence, bool has_time) {
    const Event& event = profile_.events[id];
    std::string name = valid_utf8(profile_.strings[event.name]);
    ProtoWriter timebase;
    if (event.period != 0) {
      timebase.number(1, event.period);
    } else {
      timebase.number(2, event.frequency);
    }
    timebase.text(10, has_time ? name : name + " (made-up times)");
    ProtoWriter samples;
    samples.message(1, timebase);
    ProtoWriter defaults;
    defaults.message(12, samples);
    ProtoWriter content;
    content.number(10, sequence);
    content.number(13, kFirstPacket);
    content.message(59, defaults);
    packet(content);
  }

  void write_sample(const Sample& sample, uint64_t sequence, uint64_t total, Interned& interned) {
    ProtoWriter row;
    if (sample.cpu != kNoCpu) {
      row.always_number(1, sample.cpu);
    }
    if (sample.thread.valid()) {
      row.number(2, numbers_.pid_of(sample.thread));
      row.number(3, numbers_.tid(sample.thread));
    }
    row.number(4, interned.stack(sample.stack));
    row.number(5, mode_of(sample.stack));
    row.number(6, total);
    write_packet(sample.time_ns, sequence, 66, row, interned);
  }

  uint64_t mode_of(StackId stack) const {
    if (stack == kEmptyStack) {
      return 0;
    }
    Mode mode = profile_.frames[profile_.stacks.frame(stack)].mode;
    return is_kernel(mode) ? 1 : mode == Mode::kUnknown ? 0 : 2;
  }

  void write_packet(int64_t time_ns,
                    uint64_t sequence,
                    uint32_t field,
                    const ProtoWriter& row,
                    Interned& interned) {
    ProtoWriter content;
    content.always_number(8, time_of(time_ns));
    content.number(10, sequence);
    if (ProtoWriter fresh = interned.take(); !fresh.bytes().empty()) {
      content.message(12, fresh);
    }
    content.number(13, kLaterPacket);
    content.message(field, row);
    packet(content);
  }

  void write_event_packet(int64_t time_ns, const ProtoWriter& row) {
    ProtoWriter content;
    content.always_number(8, time_of(time_ns));
    content.number(10, kTimeline);
    content.number(13, kLaterPacket);
    content.message(11, row);
    packet(content);
  }

  // A row of a track: spans that nest, the open ones outermost first.
  struct Lane {
    uint64_t track = 0;
    std::vector<int64_t> open;  // their ends
  };
  // Those of one thread. A trace can have as many as it has spans, so none is searched for.
  struct Lanes {
    std::vector<Lane> all;
    std::multimap<int64_t, size_t> busy;  // by the end of the innermost open span
    std::set<size_t> idle;
  };

  void write_spans(Interned& interned) {
    std::vector<size_t> order(profile_.spans.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](size_t a, size_t b) {
      const Span& left = profile_.spans[a];
      const Span& right = profile_.spans[b];
      return left.begin_ns != right.begin_ns ? left.begin_ns < right.begin_ns
                                             : left.end_ns > right.end_ns;
    });
    std::map<uint32_t, Lanes> lanes;  // by thread
    for (size_t at : order) {
      const Span& span = profile_.spans[at];
      begin_span(span, lane_for(span, lanes[span.thread.value]), interned);
    }
    for (auto& [thread, rows] : lanes) {
      close(rows, INT64_MAX);
    }
  }

  void close(Lanes& lanes, int64_t until) {
    while (!lanes.busy.empty() && lanes.busy.begin()->first <= until) {
      auto [end_ns, at] = *lanes.busy.begin();
      lanes.busy.erase(lanes.busy.begin());
      Lane& lane = lanes.all[at];
      ProtoWriter row;
      row.number(9, kEnd);
      row.number(11, lane.track);
      write_event_packet(end_ns, row);
      lane.open.pop_back();
      if (lane.open.empty()) {
        lanes.idle.insert(at);
      } else {
        lanes.busy.emplace(lane.open.back(), at);
      }
    }
  }

  // Inside of the shortest open span that contains it, else on a lane of its own.
  Lane& lane_for(const Span& span, Lanes& lanes) {
    close(lanes, span.begin_ns);
    size_t at = lanes.all.size();
    if (auto outer = lanes.busy.lower_bound(span.end_ns); outer != lanes.busy.end()) {
      at = outer->second;
      lanes.busy.erase(outer);
    } else if (!lanes.idle.empty()) {
      at = *lanes.idle.begin();
      lanes.idle.erase(lanes.idle.begin());
    } else {
      lanes.all.push_back({.track = new_lane(span.thread, lanes.all.empty())});
    }
    lanes.all[at].open.push_back(span.end_ns);
    lanes.busy.emplace(span.end_ns, at);
    return lanes.all[at];
  }

  uint64_t new_lane(ThreadId thread, bool is_first) {
    uint64_t parent = thread.valid() ? thread_tracks_[thread.index()] : 0;
    if (is_first && thread.valid()) {
      return parent;
    }
    write_track(next_track_, parent, "spans", {});
    return next_track_++;
  }

  void begin_span(const Span& span, const Lane& lane, Interned& interned) {
    ProtoWriter row;
    write_labels(span.labels, row);
    row.number(9, kBegin);
    row.number(11, lane.track);
    row.text(22, name_of(span.kind));
    row.text(23, valid_utf8(profile_.strings[span.name]));
    if (uint64_t stack = interned.stack(span.stack); stack != 0) {
      row.number(56, stack);
    }
    write_packet(span.begin_ns, kTimeline, 11, row, interned);
  }

  void write_labels(LabelSetId labels, ProtoWriter& row) {
    for (LabelId id : labels_of(profile_, labels)) {
      const Label& label = profile_.labels[id];
      ProtoWriter annotation;
      if (label.is_number) {
        annotation.always_number(4, static_cast<uint64_t>(label.number));
      } else {
        annotation.text(6, valid_utf8(profile_.strings[label.text]));
      }
      annotation.text(10, valid_utf8(profile_.strings[label.key]));
      row.message(4, annotation);
    }
  }

  void write_counters() {
    std::vector<uint64_t> tracks;
    for (const CounterSeries& series : profile_.series) {
      std::string_view unit = profile_.strings[series.unit];
      ProtoWriter counter;
      counter.number(3, unit == "nanoseconds" ? 1U : unit == "bytes" ? 3U : 0U);
      counter.text(6, valid_utf8(unit));
      ProtoWriter more;
      more.message(8, counter);
      uint64_t parent = series.thread.valid()    ? thread_tracks_[series.thread.index()]
                        : series.process.valid() ? process_tracks_[series.process.index()]
                                                 : 0;
      std::string cpu = series.cpu == kNoCpu ? "" : fmt::format(" (CPU {})", series.cpu);
      tracks.push_back(next_track_);
      write_track(
          next_track_++, parent, fmt::format("{}{}", profile_.strings[series.name], cpu), more);
    }
    for (size_t point = 0; point < profile_.counters.size(); ++point) {
      ProtoWriter row;
      row.number(9, kCounter);
      row.number(11, tracks[profile_.counters.series[point].index()]);
      row.real(44, profile_.counters.value[point]);
      write_event_packet(profile_.counters.time_ns[point], row);
    }
  }

  void write_marks() {
    std::map<StringId, uint64_t> tracks;  // by kind
    for (const Mark& mark : profile_.marks) {
      ProtoWriter row;
      write_labels(mark.labels, row);
      row.number(9, kInstant);
      row.number(11, track_of(mark, tracks));
      row.text(22, valid_utf8(profile_.strings[mark.kind]));
      row.text(23, valid_utf8(profile_.strings[mark.name]));
      write_event_packet(mark.time_ns, row);
    }
  }

  uint64_t track_of(const Mark& mark, std::map<StringId, uint64_t>& tracks) {
    if (mark.thread.valid()) {
      return thread_tracks_[mark.thread.index()];
    }
    auto [known, is_new] = tracks.try_emplace(mark.kind, next_track_);
    if (is_new) {
      std::string_view kind = profile_.strings[mark.kind];
      write_track(next_track_++, 0, kind.empty() ? "marks" : kind, {});
    }
    return known->second;
  }

  const Profile& profile_;
  Output& out_;
  TaskNumbers numbers_;
  std::vector<uint64_t> process_tracks_;
  std::vector<uint64_t> thread_tracks_;
  uint64_t next_track_ = 1;
  ProtoWriter trace_;
};

}  // namespace

bool sniff(Bytes head) {
  ProtoReader packets(head);
  bool has_sequence = false;
  for (int count = 0; count < 8 && packets.next(); ++count) {
    ProtoReader fields(packets.bytes());
    if (!packets.is(1, ProtoKind::kBytes)) {
      return false;
    }
    while (fields.next()) {
      has_sequence = has_sequence || fields.is(10, ProtoKind::kNumber) ||
                     fields.is(8, ProtoKind::kNumber) || fields.is(60, ProtoKind::kBytes);
    }
    if (!fields.ok()) {
      return false;
    }
  }
  return has_sequence;
}

Result<> write(const Profile& profile, const FlagValues& /*flags*/, Output& out) {
  Writer(profile, out).run();
  return {};
}

}  // namespace wick::perfetto

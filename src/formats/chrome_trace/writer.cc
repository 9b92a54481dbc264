// SPDX-License-Identifier: Apache-2.0
// Writes samples as "samples" and "stackFrames", which chrome://tracing and speedscope read, and
// everything else as events. Each event is on a line of its own.
//
// Samples without a time get made-up ones: each lasts as long as its weight (a microsecond for each
// unit that is not time). speedscope takes the time until the next sample of the thread as the
// weight. So a sample without a stack ends each one that lasts less, and speedscope shows the
// weights, to a tenth of a sample. Frames of equal stacks are numbered from 1: some readers take 0 as
// "no parent".
#include <algorithm>
#include <cmath>
#include <numeric>

#include "formats/chrome_trace/chrome_trace.h"
#include "formats/json_labels.h"
#include "formats/json_numbers.h"
#include "formats/made_once.h"
#include "profile/names.h"

namespace wick::chrome_trace {
namespace {

constexpr int64_t kMaxNs = int64_t{1} << 60;
constexpr int64_t kMaxTimeNs = 2 * kMaxNs;  // 73 years: times can count from 1970

// Nanoseconds as microseconds, exactly.
void write_us(JsonWriter& json, int64_t ns) {
  write_decimal(json, ns, 1000);
}

class Writer {
 public:
  Writer(const Profile& profile, Output& out) : profile_(profile), json_(out) {}

  void run() {
    json_.begin_object();
    json_.field("displayTimeUnit", "ns");
    write_other_data();
    json_.key("traceEvents");
    json_.begin_array();
    write_names();
    write_spans();
    write_marks();
    write_counters();
    if (!has_events_) {
      write_sort_index();
    }
    json_.newline();
    json_.end_array();
    write_samples();
    write_frames();
    json_.end_object();
  }

 private:
  void write_other_data();
  void write_names();
  void write_name(std::string_view what, ThreadId thread, ProcessId process, std::string_view name);
  void write_sort_index();
  std::vector<uint32_t> request_ids() const;
  void write_spans();
  void write_marks();
  void write_counters();
  // A sample, or its end.
  struct Moment {
    int64_t time_ns = 0;
    uint32_t row = 0;
    bool is_end = false;
  };
  void write_samples();
  size_t thread_number(uint32_t row) const;
  std::vector<Moment> sample_moments() const;
  void add_ends(std::vector<Moment>& moments) const;
  bool is_time(uint32_t row) const;
  int64_t length_ns(uint32_t row) const;
  void write_sample(uint32_t row, int64_t time_ns);
  void write_end(ThreadId thread, int64_t time_ns);
  void write_frames();
  void write_frame(StackId stack);
  std::string frame_fields(FrameId id) const;
  void begin_event(std::string_view phase, ThreadId thread, int64_t time_ns);
  void write_tasks(ThreadId thread);
  void write_labels(LabelSetId labels);
  int64_t pid_of(ProcessId process) const {
    return process.valid() ? std::max<int64_t>(profile_.processes[process].pid, 0) : 0;
  }

  const Profile& profile_;
  JsonWriter json_;
  bool has_events_ = false;
  std::vector<bool> used_stacks_;
  MadeOnce<std::string> frame_fields_;  // by frame
};

void Writer::write_other_data() {
  json_.key("otherData");
  json_.begin_object();
  json_.field("exporter", "wick");
  json_.key("wickEvents");
  json_.begin_array();
  for (const Event& event : profile_.events) {
    json_.begin_object();
    json_.field("name", profile_.strings[event.name]);
    json_.field("unit", profile_.strings[event.unit]);
    json_.field("kind", static_cast<uint64_t>(event.kind));
    json_.field("period", event.period);
    json_.field("frequency", event.frequency);
    json_.end_object();
  }
  json_.end_array();
  for (const Fact& fact : profile_.facts) {
    json_.field(profile_.strings[fact.key], profile_.strings[fact.value]);
  }
  json_.end_object();
}

void Writer::write_names() {
  for (size_t row = 0; row < profile_.processes.size(); ++row) {
    ProcessId id = ProcessId::from_index(row);
    write_name("process_name", {}, id, profile_.strings[profile_.processes[id].name]);
  }
  for (size_t row = 0; row < profile_.threads.size(); ++row) {
    ThreadId id = ThreadId::from_index(row);
    const Thread& thread = profile_.threads[id];
    write_name("thread_name", id, thread.process, profile_.strings[thread.name]);
  }
}

void Writer::write_name(std::string_view what,
                        ThreadId thread,
                        ProcessId process,
                        std::string_view name) {
  if (name.empty()) {
    return;
  }
  has_events_ = true;
  json_.newline();
  json_.begin_object();
  json_.field("ph", "M");
  json_.field("name", what);
  json_.field("pid", pid_of(process));
  if (thread.valid()) {
    json_.field("tid", std::max<int64_t>(profile_.threads[thread].tid, 0));
  }
  json_.key("args");
  json_.begin_object();
  json_.field("name", name);
  json_.end_object();
  json_.end_object();
}

// An event that says nothing: speedscope does not open a trace without events.
void Writer::write_sort_index() {
  json_.newline();
  json_.begin_object();
  json_.field("ph", "M");
  json_.field("name", "process_sort_index");
  write_tasks({});
  json_.key("args");
  json_.begin_object();
  json_.field("sort_index", int64_t{0});
  json_.end_object();
  json_.end_object();
}

void Writer::write_tasks(ThreadId thread) {
  Thread row = thread.valid() ? profile_.threads[thread] : Thread();
  json_.key("pid");
  write_integer(json_, pid_of(row.process));
  json_.key("tid");
  write_integer(json_, std::max<int64_t>(row.tid, 0));
}

void Writer::begin_event(std::string_view phase, ThreadId thread, int64_t time_ns) {
  has_events_ = true;
  json_.newline();
  json_.begin_object();
  json_.field("ph", phase);
  write_tasks(thread);
  json_.key("ts");
  write_us(json_, time_ns);
}

void Writer::write_labels(LabelSetId labels) {
  if (labels == kNoLabels) {
    return;
  }
  json_.key("args");
  json_.begin_object();
  wick::write_labels(json_, profile_, labels);
  json_.end_object();
}

// Requests inside of a request have its id.
std::vector<uint32_t> Writer::request_ids() const {
  std::vector<uint32_t> ids;
  for (const Span& span : profile_.spans) {
    auto row = static_cast<uint32_t>(ids.size());
    bool is_part =
        span.parent.valid() && profile_.spans[span.parent.index()].kind == SpanKind::kRequest;
    ids.push_back(is_part ? ids[span.parent.index()] : row + 1);
  }
  return ids;
}

void Writer::write_spans() {
  std::vector<uint32_t> ids = request_ids();
  std::vector<uint32_t> order(profile_.spans.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](uint32_t row) { return profile_.spans[row].begin_ns; });
  for (uint32_t row : order) {
    const Span& span = profile_.spans[row];
    bool is_request = span.kind == SpanKind::kRequest;
    begin_event(is_request ? "b" : "X", span.thread, span.begin_ns);
    json_.field("name", profile_.strings[span.name]);
    json_.field("cat", name_of(span.kind));
    if (is_request) {
      json_.field("id", uint64_t{ids[row]});
    } else {
      json_.key("dur");
      write_us(json_, span.end_ns - span.begin_ns);
    }
    write_labels(span.labels);
    json_.end_object();
    if (is_request) {
      begin_event("e", span.thread, span.end_ns);
      json_.field("name", profile_.strings[span.name]);
      json_.field("cat", name_of(span.kind));
      json_.field("id", uint64_t{ids[row]});
      json_.end_object();
    }
  }
}

void Writer::write_marks() {
  for (const Mark& mark : profile_.marks) {
    begin_event("i", mark.thread, mark.time_ns);
    json_.field("name", profile_.strings[mark.name]);
    if (!mark.kind.empty()) {
      json_.field("cat", profile_.strings[mark.kind]);
    }
    json_.field("s", mark.thread.valid() ? "t" : "g");
    write_labels(mark.labels);
    json_.end_object();
  }
}

void Writer::write_counters() {
  for (size_t row = 0; row < profile_.counters.size(); ++row) {
    CounterPoint point = profile_.counters[row];
    const CounterSeries& series = profile_.series[point.series];
    if (!std::isfinite(point.value)) {
      continue;
    }
    has_events_ = true;
    ProcessId process = series.process;
    if (series.thread.valid()) {
      process = profile_.threads[series.thread].process;
    }
    json_.newline();
    json_.begin_object();
    json_.field("ph", "C");
    json_.field("pid", pid_of(process));
    json_.key("ts");
    write_us(json_, point.time_ns);
    json_.field("name", profile_.strings[series.name]);
    json_.key("args");
    json_.begin_object();
    json_.field("value", point.value);
    json_.end_object();
    json_.end_object();
  }
}

void Writer::write_samples() {
  std::vector<Moment> moments = sample_moments();
  add_ends(moments);
  used_stacks_.resize(profile_.stacks.size());
  json_.key("samples");
  json_.begin_array();
  for (const Moment& moment : moments) {
    if (moment.is_end) {
      write_end(profile_.samples.thread[moment.row], moment.time_ns);
    } else {
      write_sample(moment.row, moment.time_ns);
    }
  }
  json_.newline();
  json_.end_array();
}

size_t Writer::thread_number(uint32_t row) const {
  ThreadId thread = profile_.samples.thread[row];
  return thread.valid() ? thread.index() : profile_.threads.size();
}

// In time order. Samples without a time follow each other.
std::vector<Writer::Moment> Writer::sample_moments() const {
  const SampleColumns& samples = profile_.samples;
  std::vector<int64_t> ends(profile_.threads.size() + 1);  // by thread
  std::vector<Moment> moments;
  for (uint32_t row = 0; row < samples.size(); ++row) {
    int64_t time = samples.time_ns[row];
    int64_t& end = ends[thread_number(row)];
    moments.push_back({.time_ns = time == kNoTime ? end : time, .row = row});
    if (time == kNoTime) {
      end += std::min(length_ns(row), kMaxNs - end);
    }
  }
  std::ranges::stable_sort(moments, {}, &Moment::time_ns);
  return moments;
}

// Adds the ends of samples that last noticeably less than until the next one of their thread.
void Writer::add_ends(std::vector<Moment>& moments) const {
  constexpr size_t kNone = SIZE_MAX;
  constexpr int64_t kNoticeable = 10;                            // parts of a sample
  std::vector<size_t> last(profile_.threads.size() + 1, kNone);  // moment, by thread
  std::vector<Moment> ends;
  auto end_last = [&](size_t thread, int64_t next_ns) {
    if (last[thread] == kNone) {
      return;
    }
    const Moment& moment = moments[last[thread]];
    bool has_length = is_time(moment.row) || profile_.samples.time_ns[moment.row] == kNoTime;
    int64_t length = std::min(length_ns(moment.row), kMaxNs);
    if (has_length && moment.time_ns < kMaxTimeNs &&
        next_ns > moment.time_ns + length + length / kNoticeable) {
      ends.push_back({.time_ns = moment.time_ns + length, .row = moment.row, .is_end = true});
    }
  };
  for (size_t i = 0; i < moments.size(); ++i) {
    size_t thread = thread_number(moments[i].row);
    end_last(thread, moments[i].time_ns);
    last[thread] = i;
  }
  for (size_t thread = 0; thread < last.size(); ++thread) {
    end_last(thread, INT64_MAX);
  }
  size_t middle = moments.size();
  std::ranges::stable_sort(ends, {}, &Moment::time_ns);
  moments.insert(moments.end(), ends.begin(), ends.end());
  // Of equal times, ends come last: a sample without a length has ended when the next one begins.
  std::ranges::inplace_merge(
      moments, moments.begin() + static_cast<std::ptrdiff_t>(middle), {}, &Moment::time_ns);
}

bool Writer::is_time(uint32_t row) const {
  return profile_.strings[profile_.events[profile_.samples.event[row]].unit] == "nanoseconds";
}

// How long a sample lasts, by its weight.
int64_t Writer::length_ns(uint32_t row) const {
  const Event& event = profile_.events[profile_.samples.event[row]];
  int64_t weight = std::max<int64_t>(profile_.samples.weight[row] / event.scale, 0);
  return is_time(row) ? weight : std::min(weight, kMaxNs / 1000) * 1000;
}

void Writer::write_end(ThreadId thread, int64_t time_ns) {
  json_.newline();
  json_.begin_object();
  write_tasks(thread);
  json_.key("ts");
  write_us(json_, time_ns);
  json_.field("weight", int64_t{0});
  json_.end_object();
}

void Writer::write_sample(uint32_t row, int64_t time_ns) {
  const SampleColumns& samples = profile_.samples;
  StackId stack = samples.stack[row];
  const Event& event = profile_.events[samples.event[row]];
  json_.newline();
  json_.begin_object();
  write_tasks(samples.thread[row]);
  json_.key("ts");
  write_us(json_, time_ns);
  json_.field("name", profile_.strings[event.name]);
  if (samples.cpu[row] != kNoCpu) {
    json_.key("cpu");
    write_integer(json_, samples.cpu[row]);
  }
  json_.key("weight");
  write_integer(json_, samples.weight[row] / event.scale);
  if (static_cast<int64_t>(samples.count[row]) != samples.weight[row] / event.scale) {
    json_.key("count");
    write_integer(json_, static_cast<int64_t>(samples.count[row]));
  }
  if (stack != kEmptyStack) {
    json_.key("sf");
    write_integer(json_, stack.value);
  }
  json_.end_object();
  for (; stack != kEmptyStack && !used_stacks_[stack.index()];
       stack = profile_.stacks.parent(stack)) {
    used_stacks_[stack.index()] = true;
  }
}

void Writer::write_frames() {
  json_.key("stackFrames");
  json_.begin_object();
  for (size_t row = 1; row < used_stacks_.size(); ++row) {
    if (used_stacks_[row]) {
      json_.newline();
      write_frame(StackId::from_index(row));
    }
  }
  json_.newline();
  json_.end_object();
}

void Writer::write_frame(StackId stack) {
  FrameId id = profile_.stacks.frame(stack);
  json_.key(fmt::format("{}", stack.value));
  json_.begin_object();
  json_.raw(frame_fields_.of(id.index(), [&] { return frame_fields(id); }));
  if (StackId parent = profile_.stacks.parent(stack); parent != kEmptyStack) {
    json_.key("parent");
    write_integer(json_, parent.value);
  }
  json_.end_object();
}

// Members of an object, without its braces.
std::string Writer::frame_fields(FrameId id) const {
  const Frame& frame = profile_.frames[id];
  std::string text;
  Output out = Output::to_text(text);
  JsonWriter json(out);
  json.begin_object();
  json.field("name", std::string_view(frame_name(profile_, id)));
  json.field("category", mode_name(frame.mode));
  if (frame.module.valid()) {
    json.field("module", profile_.strings[profile_.modules[frame.module].path]);
  }
  if (StringId file = line_file(profile_, frame); !file.empty()) {
    json.field("file", profile_.strings[file]);
  }
  if (frame.line != 0) {
    json.field("line", uint64_t{frame.line});
  }
  return text.substr(1);
}

}  // namespace

Result<> write(const Profile& profile, const FlagValues& /*flags*/, Output& out) {
  Writer(profile, out).run();
  return {};
}

}  // namespace wick::chrome_trace

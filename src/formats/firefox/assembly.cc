// SPDX-License-Identifier: Apache-2.0
#include "formats/firefox/assembly.h"

#include <cmath>

#include "formats/firefox/markers.h"

namespace wick::firefox {
namespace {

// The times of a table's rows, which are absolute or differences.
class Times {
 public:
  Times(const Numbers& times, const Numbers& deltas, double delay)
      : times_(times), deltas_(deltas), has_deltas_(deltas.size() > 0), sum_(delay) {}

  size_t size() const { return has_deltas_ ? deltas_.size() : times_.size(); }
  // Call it for each row in turn.
  int64_t next(size_t row) {
    if (!has_deltas_) {
      return to_ns(at(times_, row) + sum_);
    }
    double delta = at(deltas_, row);
    sum_ += std::isnan(delta) ? 0 : delta;
    return row < deltas_.size() ? to_ns(sum_) : kNoTime;
  }

 private:
  const Numbers& times_;
  const Numbers& deltas_;
  bool has_deltas_;
  double sum_;
};

}  // namespace

void Assembly::run() {
  for (const RawThread& thread : raw_.threads) {
    process_names_.try_emplace(thread.pid, thread.process_name);
  }
  for (const RawCounter& counter : raw_.counters) {
    add_counter(counter);
  }
  for (RawThread& thread : raw_.threads) {
    add_thread(thread);
    thread = RawThread();
  }
}

double Assembly::delay_of(size_t process) const {
  double delay = raw_.processes[process].start_time - raw_.processes[0].start_time;
  return std::isfinite(delay) ? delay : 0;
}

SourceId Assembly::source() {
  double start = raw_.processes[0].start_time;
  if (!source_.valid() && start > 0 && to_ns(start) != kNoTime) {
    source_ = builder_.source({.wall_clock_ns = to_ns(start)});
  }
  return source_;
}

ProcessId Assembly::process_of(int64_t pid, StringId name, const RawThread* thread) {
  if (pid < 0 && name.empty()) {
    return {};
  }
  Process process{.pid = pid, .name = name, .source = source()};
  if (thread != nullptr && thread->process_start > 0) {
    process.begin_ns = to_ns(thread->process_start);
    process.end_ns = to_ns(thread->process_end);
  }
  return builder_.process(process);
}

ThreadId Assembly::thread_of(const RawThread& raw) {
  if (!raw.is_thread) {
    return {};
  }
  double delay = delay_of(raw.process);
  return builder_.thread(
      {.tid = raw.tid,
       .process = process_of(raw.pid, raw.process_name, &raw),
       .name = raw.name,
       .begin_ns = raw.register_time > 0 ? to_ns(raw.register_time + delay) : kNoTime,
       .end_ns = to_ns(raw.unregister_time + delay)});
}

// Tables are in the thread or shared; strings, too, but in other versions.
CodeMaker& Assembly::code_of(const RawThread& thread, std::unique_ptr<CodeMaker>& own) {
  bool is_own = thread.code.stacks.size() > 0;
  if (!is_own && shared_code_ != nullptr) {
    return *shared_code_;
  }
  const CodeTables& tables = is_own ? thread.code : raw_.shared;
  const RawProcess& process = raw_.processes[thread.process];
  const CodeTables& texts = thread.code.strings.empty() ? raw_.shared : thread.code;
  CodeView view{
      .raw = raw_,
      .tables = tables,
      .strings = texts.strings,
      .source_files = raw_.shared.source_files,
      .libs = thread.libs.empty() ? process.libs : thread.libs,
      .categories = process.categories.empty() ? raw_.processes[0].categories : process.categories};
  std::unique_ptr<CodeMaker>& made = is_own ? own : shared_code_;
  made = std::make_unique<CodeMaker>(view, builder_, damage_);
  return *made;
}

void Assembly::add_thread(RawThread& raw) {
  ThreadId thread = thread_of(raw);
  std::unique_ptr<CodeMaker> own;
  CodeMaker& code = code_of(raw, own);
  double delay = delay_of(raw.process);
  add_samples(raw, thread, code);
  add_allocations(raw.js_allocations, "js", thread, delay, code);
  add_allocations(raw.native_allocations, "native", thread, delay, code);
  add_cpu_times(raw, thread);
  const RawProcess& process = raw_.processes[raw.process];
  MarkerMaker(raw_, process, builder_, damage_).add(raw.markers, thread, delay, code);
}

void Assembly::add_samples(const RawThread& raw, ThreadId thread, CodeMaker& code) {
  const SampleTable& samples = raw.samples;
  Times times(samples.time, samples.time_delta, delay_of(raw.process));
  size_t rows = samples.stack.size();
  damage_.rows += times.size() > rows ? times.size() - rows : 0;
  if (rows == 0) {
    return;
  }
  Weights weights = weights_.of_samples(samples);
  for (size_t row = 0; row < rows; ++row) {
    int64_t time = times.next(row);
    damage_.times += time == kNoTime ? 1U : 0U;
    add_sample(weights.of(samples, row, total_),
               {.time_ns = time,
                .stack = code.stack(samples.stack[row]),
                .thread = thread,
                .event = weights.event()});
  }
}

void Assembly::add_sample(const std::optional<Weight>& weight, Sample sample) {
  if (!weight) {
    ++damage_.weights;
    return;
  }
  ++samples_;
  sample.weight = weight->weight;
  sample.count = weight->count;
  builder_.add_sample(sample);
}

void Assembly::add_allocations(const SampleTable& samples,
                               std::string_view kind,
                               ThreadId thread,
                               double delay,
                               CodeMaker& code) {
  Times times(samples.time, samples.time_delta, delay);
  for (size_t row = 0; row < samples.stack.size(); ++row) {
    double bytes = at(samples.weight, row, 0.0);
    std::string_view what = bytes < 0 ? "frees" : "allocations";
    Weights rule = weights_.of_bytes(fmt::format("{}-{}", kind, what));
    SampleTable one;
    one.weight.push_back(std::abs(bytes));
    one.count.push_back(1);
    int64_t time = times.next(row);
    add_sample(rule.of(one, 0, total_),
               {.time_ns = time,
                .stack = code.stack(samples.stack[row]),
                .thread = thread,
                .event = rule.event()});
  }
}

// The CPU time since the previous sample, as a growing sum. In files of wick it is the weight.
void Assembly::add_cpu_times(const RawThread& raw, ThreadId thread) {
  const Numbers& deltas = raw.samples.cpu_delta;
  std::string_view unit = builder_.text(raw_.cpu_unit);
  double factor = unit == "ns" ? 1 : unit == "\u00b5s" ? 1000 : 0;
  bool is_empty = deltas.is_constant() && (deltas.size() == 0 || std::isnan(deltas[0]));
  if (is_empty || factor == 0 || !raw_.event.name.empty()) {
    return;
  }
  SeriesId series = builder_.series({.name = builder_.string("CPU time"),
                                     .unit = builder_.string("nanoseconds"),
                                     .kind = SeriesKind::kCumulative,
                                     .thread = thread});
  Times times(raw.samples.time, raw.samples.time_delta, delay_of(raw.process));
  double sum = 0;
  for (size_t row = 0; row < deltas.size(); ++row) {
    int64_t time = times.next(row);
    sum += std::isnan(deltas[row]) ? 0 : deltas[row] * factor;
    if (time != kNoTime) {
      builder_.add_counter({.time_ns = time, .series = series, .value = sum});
    }
  }
}

// A count is the difference to the previous point, so the values are sums.
void Assembly::add_counter(const RawCounter& counter) {
  Times times(counter.time, counter.time_delta, delay_of(counter.process));
  bool is_level = builder_.text(counter.graph_type) == "line-accumulated" ||
                  builder_.text(counter.category) == "Memory";
  StringId unit = counter.unit;
  if (unit.empty() && builder_.text(counter.category) == "Memory") {
    unit = builder_.string("bytes");
  }
  SeriesId series =
      builder_.series({.name = counter.name,
                       .unit = unit,
                       .kind = is_level ? SeriesKind::kGauge : SeriesKind::kCumulative,
                       .process = process_of(counter.pid, process_names_[counter.pid], nullptr)});
  double sum = 0;
  for (size_t row = 0; row < counter.count.size(); ++row) {
    int64_t time = times.next(row);
    double count = counter.count[row];
    if (time == kNoTime || std::isnan(count)) {
      ++damage_.points;
      continue;
    }
    sum += count;
    builder_.add_counter({.time_ns = time, .series = series, .value = sum});
  }
}

}  // namespace wick::firefox

// SPDX-License-Identifier: Apache-2.0
// Writes a processed profile of version 57.
//
//     thread            one with samples, spans or marks. Rows without a thread get one of their own
//     weights           milliseconds for time, bytes for bytes, numbers for everything else
//     threadCPUDelta    the weight, if it is CPU time: the viewer draws it as activity
//     spans, marks      markers; their kind is the type of the marker, labels are its fields
//     counters          differences; the viewer draws their sum
//     facts, losses     meta.extra, which the viewer shows as information about the profile
//
// Times are relative to the earliest one, and meta.startTime has the wall clock if it is known.
// Samples without a time get made-up ones, a step of the interval apart, in their order.
#include <algorithm>

#include "formats/firefox/firefox.h"
#include "formats/firefox/profile_writer.h"

namespace wick::firefox {
namespace {

constexpr int64_t kMadeUpStepNs = 1'000'000;

}  // namespace

void Writer::collect_rows() {
  std::vector<ThreadRows> by_thread(profile_.threads.size() + 1);  // the last one: no thread
  auto rows_of = [&](ThreadId thread) -> ThreadRows& {
    return by_thread[thread.valid() ? thread.index() : profile_.threads.size()];
  };
  for (size_t row = 0; row < profile_.samples.size(); ++row) {
    rows_of(profile_.samples.thread[row]).samples.push_back(static_cast<uint32_t>(row));
  }
  for (size_t row = 0; row < profile_.spans.size(); ++row) {
    rows_of(profile_.spans[row].thread).spans.push_back(static_cast<uint32_t>(row));
  }
  for (size_t row = 0; row < profile_.marks.size(); ++row) {
    rows_of(profile_.marks[row].thread).marks.push_back(static_cast<uint32_t>(row));
  }
  for (size_t row = 0; row < by_thread.size(); ++row) {
    ThreadRows& rows = by_thread[row];
    rows.thread = row < profile_.threads.size() ? ThreadId::from_index(row) : ThreadId();
    std::ranges::stable_sort(
        rows.samples, {}, [&](uint32_t sample) { return profile_.samples.time_ns[sample]; });
    if (!rows.empty()) {
      threads_.push_back(std::move(rows));
    }
  }
}

void Writer::find_start() {
  int64_t start = INT64_MAX;
  auto see = [&](int64_t time) { start = time == kNoTime ? start : std::min(start, time); };
  for (size_t row = 0; row < profile_.samples.size(); ++row) {
    see(profile_.samples.time_ns[row]);
  }
  for (const Span& span : profile_.spans) {
    see(span.begin_ns);
  }
  for (const Mark& mark : profile_.marks) {
    see(mark.time_ns);
  }
  for (size_t row = 0; row < profile_.counters.size(); ++row) {
    see(profile_.counters.time_ns[row]);
  }
  start_ns_ = start == INT64_MAX ? 0 : start;
}

Event Writer::event() const {
  return profile_.events.empty() ? Event() : profile_.events[EventId(0)];
}

int64_t Writer::interval_ns() const {
  Event first = event();
  if (first.frequency > 0) {
    return std::max<int64_t>(1, 1'000'000'000 / static_cast<int64_t>(first.frequency));
  }
  bool has_period = is_time() && first.period > 0 && first.period < 1'000'000'000;
  return has_period ? static_cast<int64_t>(first.period) : kMadeUpStepNs;
}

void Writer::write_thread(const ThreadRows& rows) {
  std::vector<StackId> stacks;
  for (uint32_t row : rows.samples) {
    stacks.push_back(profile_.samples.stack[row]);
  }
  for (uint32_t row : rows.spans) {
    stacks.push_back(profile_.spans[row].stack);
  }
  tables_.use(stacks);
  json_.begin_object();
  write_thread_facts(rows.thread);
  write_samples(rows);
  write_markers(rows);
  tables_.write(json_);
  json_.end_object();
}

void Writer::write_thread_facts(ThreadId id) {
  Thread thread = id.valid() ? profile_.threads[id] : Thread();
  Process process = thread.process.valid() ? profile_.processes[thread.process] : Process();
  std::string_view name = profile_.strings[thread.name];
  auto time = [&](std::string_view key, int64_t time_ns, std::string_view unknown) {
    json_.key(key);
    if (time_ns == kNoTime) {
      json_.raw(unknown);
    } else {
      write_time(time_ns);
    }
  };
  json_.field("processType", "default");
  time("processStartupTime", process.begin_ns, "0");
  time("processShutdownTime", process.end_ns, "null");
  time("registerTime", thread.begin_ns, "0");
  time("unregisterTime", thread.end_ns, "null");
  json_.key("pausedRanges");
  json_.raw("[]");
  json_.field("name", name.empty() ? (id.valid() ? "[unknown]" : "all threads") : name);
  json_.field("isMainThread", thread.tid == process.pid);
  if (!id.valid()) {
    json_.field("wickThread", false);
  }
  json_.field("processName", profile_.strings[process.name]);
  json_.field("pid", fmt::format("{}", std::max<int64_t>(process.pid, 0)));
  json_.key("tid");
  write_integer(json_, std::max<int64_t>(thread.tid, 0));
}

void Writer::write_samples(const ThreadRows& rows) {
  const SampleColumns& samples = profile_.samples;
  size_t size = rows.samples.size();
  int64_t step = interval_ns();
  json_.key("samples");
  json_.begin_object();
  json_.field("length", uint64_t{size});
  write_column(json_, "stack", size, [&](size_t row) {
    write_index(json_, tables_.number_of(samples.stack[rows.samples[row]]));
  });
  write_column(json_, "time", size, [&](size_t row) {
    int64_t time = samples.time_ns[rows.samples[row]];
    if (time == kNoTime) {
      write_ms(json_, static_cast<int64_t>(row) * step);
    } else {
      write_time(time);
    }
  });
  write_weights(rows);
  json_.end_object();
}

void Writer::write_weights(const ThreadRows& rows) {
  const SampleColumns& samples = profile_.samples;
  Event first = event();
  size_t size = rows.samples.size();
  bool is_bytes = first.kind == Quantity::kBytes;
  json_.field("weightType", is_time() ? "tracing-ms" : is_bytes ? "bytes" : "samples");
  write_column(json_, "weight", size, [&](size_t row) {
    int64_t weight = samples.weight[rows.samples[row]];
    if (is_time() && first.scale == 1) {
      write_ms(json_, weight);
    } else if (first.scale == 1) {
      write_integer(json_, weight);
    } else {
      double unit = is_time() ? 1e6 : 1;
      json_.value(static_cast<double>(weight) / first.scale / unit);
    }
  });
  write_column(json_, "count", size, [&](size_t row) {
    write_integer(json_, static_cast<int64_t>(samples.count[rows.samples[row]]));
  });
  if (is_time() && first.kind == Quantity::kCpuTime && first.scale == 1) {
    write_column(json_, "threadCPUDelta", size, [&](size_t row) {
      write_integer(json_, samples.weight[rows.samples[row]]);
    });
  }
}

Result<> write(const Profile& profile, const FlagValues& /*flags*/, Output& out) {
  if (profile.events.size() > 1) {
    return fail("A Firefox profile has one event, this one has {}: choose one with --event.",
                profile.events.size());
  }
  Writer(profile, out).run();
  return {};
}

}  // namespace wick::firefox

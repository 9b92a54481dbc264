// SPDX-License-Identifier: Apache-2.0
#include "experiment/stat/thread_counters.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "record/machine.h"
#include "record/processes.h"

namespace wick {
namespace {

constexpr size_t kRingBytes = 128 * 1024;

std::string name_of(int32_t pid, int32_t tid) {
  return record::read_line(fmt::format("/proc/{}/task/{}/comm", pid, tid)).value_or("");
}

// Records as in linux/perf_event.h.
struct ForkRecord {
  uint32_t pid;
  uint32_t parent_pid;
  uint32_t tid;
  uint32_t parent_tid;
};
struct CommRecord {
  uint32_t pid;
  uint32_t tid;
};

template <typename T>
bool read_body(Bytes record, T& body) {
  if (record.size() < sizeof(perf_event_header) + sizeof body) {
    return false;
  }
  std::memcpy(&body, record.data() + sizeof(perf_event_header), sizeof body);
  return true;
}

}  // namespace

ThreadCounters ThreadCounters::of_child(std::vector<CounterRequest> requests, int32_t pid) {
  ThreadCounters counters(std::move(requests));
  counters.track(pid);
  counters.add(pid, pid, "", Counters::From::kExec);
  return counters;
}

ThreadCounters ThreadCounters::of_processes(std::vector<CounterRequest> requests,
                                            const std::vector<int32_t>& pids) {
  ThreadCounters counters(std::move(requests));
  counters.track(-1);
  for (int32_t pid : pids) {
    for (int32_t tid : record::threads_of(pid)) {
      counters.add(pid, tid, name_of(pid, tid), Counters::From::kNow);
    }
  }
  return counters;
}

void ThreadCounters::track(int32_t pid) {
  record::EventRequest nothing{.name = "dummy", .config = PERF_COUNT_SW_DUMMY, .period = 1};
  for (int cpu : record::online_cpus()) {
    perf_event_attr attr =
        record::make_attr(nothing,
                          {.stacks = record::StackSource::kNone},
                          {.tracks = true, .inherit = pid >= 0, .wakeup_bytes = 1});
    attr.mmap = 0;
    attr.mmap2 = 0;
    attr.exclude_kernel = 1;  // so that no more permission is needed than for counting
    std::expected<record::PerfEvent, int> event =
        record::PerfEvent::open(attr, {.pid = pid, .cpu = cpu});
    if (!event) {
      break;
    }
    std::expected<record::Ring, int> ring = record::Ring::map(*event, kRingBytes);
    if (!ring) {
      break;
    }
    event->enable();
    descriptors_.push_back(event->descriptor());
    trackers_.push_back({std::move(*event), std::move(*ring)});
  }
}

void ThreadCounters::add(int32_t pid, int32_t tid, std::string name, Counters::From from) {
  Counters counters = Counters::open(requests_, {.pid = tid, .from = from, .inherit = false});
  if (from == Counters::From::kNow) {
    counters.enable();
  }
  threads_.insert_or_assign(tid, Thread{pid, std::move(name), std::move(counters)});
}

void ThreadCounters::look() {
  std::vector<std::byte> room(2 * record::kMaxRecordBytes);
  record::SampleShape shape({.stacks = record::StackSource::kNone});
  for (Tracker& tracker : trackers_) {
    bool done = false;
    while (!done) {
      record::Ring::Copy copy{.out = room.data(), .capacity = room.size()};
      done = tracker.ring.drain(shape, copy);
      for (size_t at = 0; at + sizeof(perf_event_header) <= copy.used;) {
        perf_event_header header = {};
        std::memcpy(&header, room.data() + at, sizeof header);
        if (header.size < sizeof header || at + header.size > copy.used) {
          break;
        }
        take(Bytes(room.data() + at, header.size));
        at += header.size;
      }
    }
  }
}

void ThreadCounters::take(Bytes record) {
  perf_event_header header = {};
  std::memcpy(&header, record.data(), sizeof header);
  if (ForkRecord fork = {}; header.type == PERF_RECORD_FORK && read_body(record, fork)) {
    auto pid = static_cast<int32_t>(fork.pid);
    auto tid = static_cast<int32_t>(fork.tid);
    auto parent = threads_.find(static_cast<int32_t>(fork.parent_tid));
    if (parent != threads_.end() && !threads_.contains(tid)) {
      add(pid, tid, parent->second.name, Counters::From::kNow);
    }
  } else if (CommRecord comm = {}; header.type == PERF_RECORD_COMM && read_body(record, comm)) {
    auto thread = threads_.find(static_cast<int32_t>(comm.tid));
    if (thread != threads_.end()) {
      const auto* text = reinterpret_cast<const char*>(record.data()) + sizeof header + sizeof comm;
      size_t most = record.size() - sizeof header - sizeof comm;
      thread->second.name.assign(text, ::strnlen(text, most));
    }
  }
}

std::vector<ThreadReading> ThreadCounters::read() const {
  std::vector<ThreadReading> readings;
  for (const auto& [tid, thread] : threads_) {
    readings.push_back({thread.pid, tid, thread.name, thread.counters.read()});
  }
  return readings;
}

std::vector<CounterReading> rest_of_threads(std::vector<CounterReading> total,
                                            const std::vector<ThreadReading>& threads) {
  auto less = [](uint64_t& from, uint64_t what) { from -= std::min(from, what); };
  for (const ThreadReading& thread : threads) {
    for (size_t i = 0; i < total.size() && i < thread.counters.size(); ++i) {
      less(total[i].value, thread.counters[i].value);
      less(total[i].enabled_ns, thread.counters[i].enabled_ns);
      less(total[i].running_ns, thread.counters[i].running_ns);
    }
  }
  return total;
}

}  // namespace wick

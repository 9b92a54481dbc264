// SPDX-License-Identifier: Apache-2.0
// Counters for each thread of some processes, new ones included.
//
// The kernel tells forks through a ring; each new thread gets counters of its own at once. What it
// did until they were open, some ten microseconds, is not in them: whoever shows the threads also
// counts all of them together and shows the rest as a row, so that the sum holds. A thread's
// counters keep their values when it ends.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "experiment/counters.h"
#include "record/ring.h"

namespace wick {

struct ThreadReading {
  int32_t pid = 0;
  int32_t tid = 0;
  std::string name;
  std::vector<CounterReading> counters;
};

class ThreadCounters {
 public:
  // The threads of a program that waits to be executed, from then on.
  static ThreadCounters of_child(std::vector<CounterRequest> requests, int32_t pid);
  // The threads of processes that run.
  static ThreadCounters of_processes(std::vector<CounterRequest> requests,
                                     const std::vector<int32_t>& pids);

  // Readable when look() has something to do.
  const std::vector<int>& descriptors() const { return descriptors_; }
  // Takes what the kernel has told: new threads, and names.
  void look();
  // False where the kernel does not tell: threads that come later are in the rest only.
  bool sees_new_threads() const { return !trackers_.empty(); }

  std::vector<ThreadReading> read() const;

 private:
  struct Thread {
    int32_t pid = 0;
    std::string name;
    Counters counters;
  };
  struct Tracker {
    record::PerfEvent event;
    record::Ring ring;
  };
  explicit ThreadCounters(std::vector<CounterRequest> requests) : requests_(std::move(requests)) {}
  // Forks of `pid` and its heirs, or of everybody for -1.
  void track(int32_t pid);
  void add(int32_t pid, int32_t tid, std::string name, Counters::From from);
  void take(Bytes record);

  std::vector<CounterRequest> requests_;
  std::map<int32_t, Thread> threads_;  // by tid
  std::vector<Tracker> trackers_;
  std::vector<int> descriptors_;
};

// What all threads together have and none of these has.
std::vector<CounterReading> rest_of_threads(std::vector<CounterReading> total,
                                            const std::vector<ThreadReading>& threads);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Counters for each thread of some processes, including new threads.
//
// The kernel reports forks through a ring, and each new thread gets its own counters at once. They
// miss the first ten microseconds or so of the thread, before they were open. So callers also count
// all threads together and show the remainder as a row; then the sum is correct. The counters of a
// thread retain their values when it ends.
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
  // The threads of a program that waits to be executed, from its execution on.
  static ThreadCounters of_child(std::vector<CounterRequest> requests, int32_t pid);
  // The threads of running processes.
  static ThreadCounters of_processes(std::vector<CounterRequest> requests,
                                     const std::vector<int32_t>& pids);

  // Readable when look() has something to do.
  const std::vector<int>& descriptors() const { return descriptors_; }
  // Handles the kernel's reports: new threads, and names.
  void look();
  // False if the kernel does not report new threads: they are then in the remainder only.
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
  // Tracks forks of `pid` and its descendants, or of all processes for -1.
  void track(int32_t pid);
  void add(int32_t pid, int32_t tid, std::string name, Counters::From from);
  void take(Bytes record);

  std::vector<CounterRequest> requests_;
  std::map<int32_t, Thread> threads_;  // by tid
  std::vector<Tracker> trackers_;
  std::vector<int> descriptors_;
};

// The counts of all threads together, minus those of these threads.
std::vector<CounterReading> rest_of_threads(std::vector<CounterReading> total,
                                            const std::vector<ThreadReading>& threads);

}  // namespace wick

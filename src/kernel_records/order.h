// SPDX-License-Identifier: Apache-2.0
// Sorts records by time.
//
// The problem: perf reads the ring buffers of all CPUs repeatedly, one after the other. The file is
// therefore a sequence of pieces, each in order but overlapping the others in time. After each pass
// over all buffers perf writes FINISHED_ROUND. Every record from before the end of one round has
// been written by the end of the next: when a round ends, everything up to the newest time of the
// previous round can be delivered.
//
// The idea: store runs, not records. A run is a stretch of bytes whose records are in order. It
// consists of its start, its end, and the time of its first record that has not been delivered.
// Delivery merges the runs: the one with the earliest time is on top of a heap, and is followed
// until another one is earlier. Memory depends on the disorder, not on the size: a file of 2 GB
// recorded on two CPUs never has more than a few runs of 40 bytes, where an index of its records
// would take hundreds of MB. Records with equal times stay in the order of the file.
//
// A recording without rounds (old perf, other tools) is merged as a whole; a stretch that is
// already in order is one run. If there are too many runs or waiting bytes, wick assumes that a
// round has ended (assume_round). A record that arrives after its time has been delivered is
// delivered late, and counted.
//
// This class does not handle records without a time: the scanner delivers them as it sees them, as
// perf does, and Order skips them inside runs.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel_records/recording.h"

namespace wick::kernel_records {

// The owner of a run's bytes; it is notified when they have been used.
class RunHome {
 public:
  virtual ~RunHome() = default;
  // Records in [begin, end) have been delivered.
  virtual void passed(const std::byte* begin, const std::byte* end) = 0;
  virtual void run_opened() = 0;
  // All records of a run have been delivered.
  virtual void run_finished() = 0;
};

class RecordTaker {
 public:
  virtual ~RecordTaker() = default;
  virtual void take(const Record& record, uint64_t time) = 0;
  // Called from time to time between records, after the owners know which records have been passed.
  virtual void pause() = 0;
};

class Order {
 public:
  Order(const Recording& recording, RecordTaker& taker) : recording_(recording), taker_(taker) {}

  // Adds a record with a time, directly after the previous one or anywhere else. It must not move
  // until it has been delivered.
  void add(const Record& record, uint64_t time, RunHome& home) {
    bool follows = open_ && &home == open_run_.home && time >= newest_in_run_;
    if (!follows) [[unlikely]] {
      open(record.at, time, home);
    }
    open_run_.end = record.at + record.size();
    newest_in_run_ = time;
    newest_ = time > newest_ ? time : newest_;
    late_ += time < delivered_up_to_ ? 1 : 0;
  }
  // The next record does not follow in memory.
  void close();

  void finish_round();
  void assume_round() {
    ++assumed_rounds_;
    finish_round();
  }
  // Delivers everything up to and including this time.
  void flush(uint64_t limit);
  void flush_all() { flush(UINT64_MAX); }

  bool waiting() const { return open_ || !heap_.empty(); }
  size_t runs() const { return heap_.size(); }
  uint64_t late_records() const { return late_; }
  uint64_t assumed_rounds() const { return assumed_rounds_; }
  // Runs that were dropped because their bytes changed while they waited.
  uint64_t broken_runs() const { return broken_runs_; }

 private:
  struct Run {
    const std::byte* at = nullptr;  // the first undelivered record
    const std::byte* end = nullptr;
    RunHome* home = nullptr;
    uint64_t time = 0;      // of the record at `at`
    uint64_t sequence = 0;  // order in the file
  };
  static constexpr size_t kLongStretch = 1 << 20;
  static bool later(const Run& a, const Run& b) {
    return a.time != b.time ? a.time > b.time : a.sequence > b.sequence;
  }

  void open(const std::byte* record, uint64_t time, RunHome& home);
  // Delivers from the run while its records are no later than `limit` and not after `next`.
  void follow(Run& run, uint64_t limit, const Run* next);
  // Moves to the next record with a time; false at the end of the run.
  bool advance(Run& run, uint32_t size);
  const Run* second() const;
  void sift_down_top();

  const Recording& recording_;
  RecordTaker& taker_;
  std::vector<Run> heap_;  // earliest on top
  Run open_run_;
  bool open_ = false;
  uint64_t newest_in_run_ = 0;
  uint64_t newest_ = 0;
  uint64_t newest_of_last_round_ = 0;
  uint64_t delivered_up_to_ = 0;
  uint64_t sequence_ = 0;
  uint64_t late_ = 0;
  uint64_t assumed_rounds_ = 0;
  uint64_t broken_runs_ = 0;
};

}  // namespace wick::kernel_records

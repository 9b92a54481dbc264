// Records in the order of their times.
//
// The problem: perf reads the ring buffer of one CPU after the other, again and again, so that the
// file is a sequence of pieces, each in order but overlapping the others in time. After each pass
// over all buffers perf writes FINISHED_ROUND. Whatever happened before the end of one round has
// been written by the end of the next: when a round ends, everything up to the newest time of the
// round before can be delivered.
//
// The idea: keep runs, not records. A run is a stretch of bytes whose records are in order: where
// it begins and ends, and the time of its first record that has not been delivered. Delivering
// merges the runs: the one with the earliest time is on top of a heap, and is followed until
// another one is earlier. Memory depends on the disorder, not on the size: a file of 2 GB recorded
// on two CPUs never has more than a few runs of 40 bytes, where an index of its records would take
// hundreds of MB. Equal times keep the order of the file.
//
// A recording without rounds (old perf, other tools) is merged as a whole; what is in order already
// is one run. When runs or waiting bytes become too many all the same, a round is assumed to end
// (assume_round). Records that arrive after their time has been delivered are delivered late, and
// counted.
//
// Records without a time are not the business of this class: the scanner delivers them as it sees
// them, as perf does, and they are passed over inside runs.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel_records/recording.h"

namespace wick::kernel_records {

// Where the bytes of a run live: tells their owner when they have been used.
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
  // Called every now and then between records, when owners know what has been passed.
  virtual void pause() = 0;
};

class Order {
 public:
  Order(const Recording& recording, RecordTaker& taker) : recording_(recording), taker_(taker) {}

  // A record with a time, right behind the one before or anywhere else. It must stay where it is
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
  // Runs that were given up because their bytes changed while they waited.
  uint64_t broken_runs() const { return broken_runs_; }

 private:
  struct Run {
    const std::byte* at = nullptr;  // the first record not delivered
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
  // To the next record that has a time; false at the end of the run.
  bool advance(Run& run, uint32_t size);
  const Run* second() const;
  void settle_top();

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

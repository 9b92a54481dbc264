// The thread that empties the rings.
//
// The problem: a ring of 4 MB holds 60 samples with the largest copies of stacks, 62 KB, which is
// 60 ms at 999 Hz and 12 ms at 4999 Hz (some 480 with copies of 8 KB). Whatever else the machine
// does, somebody must take them out in time; what does not fit is lost. With 253 runnable threads a
// reader of ordinary priority waits for its turn much longer than that, so this thread runs as
// SCHED_FIFO where that is allowed, and does nothing but copy: unwinding happens elsewhere, at
// leisure, from a queue.
//
// Rounds and the horizon. The rings are emptied one after the other, again and again. A record gets
// its time just before it is written into its ring, so a record that is older than the start of a
// round may still be missing at that moment, but not a whole round later: when a round ends,
// everything older than the start of the round before has been copied. Up to there, and no further,
// may the consumer deliver in order of time.
//
// The queue is bounded. When the consumer is that far behind, rings are left to fill up, and the
// kernel counts what is lost.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include "base/result.h"
#include "kernel_records/blocks.h"
#include "record/channels.h"
#include "record/machine.h"
#include "record/ring.h"

namespace wick::record {

struct Piece {
  std::unique_ptr<kernel_records::Block> block;
  size_t bytes = 0;  // whole records of one ring
};

struct Round {
  std::vector<Piece> pieces;
  uint64_t horizon = 0;  // every record older than this is in this round or an earlier one
  size_t bytes = 0;
};

// What is complete after each round, from when rounds began.
class Horizon {
 public:
  uint64_t begin_round(uint64_t now) {
    uint64_t complete = previous_;
    previous_ = now;
    return complete;
  }

 private:
  uint64_t previous_ = 0;
};

// How long rounds are. One thread hurries, another one asks.
class Pace {
 public:
  // From now on rounds are short, and told at once, for a while.
  void begin(uint64_t now);
  void hurry(uint64_t now);
  bool is_prompt(uint64_t now) const { return now < prompt_until_; }
  int round_ms(uint64_t now, bool some_hung_up);

 private:
  std::atomic<uint64_t> prompt_until_ = 0;
  std::minstd_rand random_{std::random_device()()};
};

class Drain {
 public:
  // `rings` must outlive the drain.
  Drain(std::span<Ring> rings, const SampleShape& shape);
  ~Drain();
  Drain(const Drain&) = delete;
  Drain& operator=(const Drain&) = delete;

  Result<> start();
  // Empties the rings once more and ends the thread.
  void finish();

  // Readable when rounds wait that nobody has taken notice of.
  int descriptor() const { return ready_.get(); }
  // How many wait now.
  size_t take_notice();
  std::optional<Round> take();
  // Some of those that were noticed were not taken.
  void remind() const { ready_.signal(); }
  void hurry() { pace_.hurry(monotonic_ns()); }

 private:
  void run();
  void wait();
  bool queue_is_full();
  void drain_round();
  Piece new_piece(const Ring& ring);

  std::span<Ring> rings_;
  SampleShape shape_;
  Horizon horizon_;
  std::vector<Ring*> polled_;  // those whose event has not hung up
  Pace pace_;

  std::thread thread_;
  Wakeup wake_;
  Wakeup ready_;
  std::atomic<bool> finishing_ = false;

  std::mutex mutex_;
  std::deque<Round> queue_;
  size_t queued_bytes_ = 0;
  uint64_t told_at_ = 0;  // when the consumer was last told
};

}  // namespace wick::record

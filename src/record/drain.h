// SPDX-License-Identifier: Apache-2.0
// The thread that empties the rings.
//
// The problem: a ring of 4 MB holds 480 samples with stack copies of 8 KB, which is 480 ms at 999
// Hz (60 samples with the largest copies, 62 KB). The reader must copy the records in time, under
// any load of the machine; the kernel drops records that do not fit. With 253 runnable threads a
// reader of ordinary priority waits much longer than that for its turn. So this thread runs as
// SCHED_FIFO if that is allowed, and only copies: another thread unwinds from a queue, at its own
// pace.
//
// Rounds and the horizon. The drain empties the rings one after the other, again and again. A
// record gets its time just before the kernel writes it into its ring, so a record that is older
// than the start of a round may still be missing at that moment, but not a whole round later. When
// a round ends, everything older than the start of the previous round has been copied. The consumer
// may deliver in order of time up to that horizon, and no further.
//
// The queue is bounded. If the consumer is too slow, the rings fill up, and the kernel counts the
// loss. Short rounds leave most of their blocks empty, so rounds that wait are packed.
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
#include "record/deep_stacks.h"
#include "record/machine.h"
#include "record/ring.h"

namespace wick::record {

struct Piece {
  std::unique_ptr<kernel_records::Block> block;
  size_t bytes = 0;  // complete records of one ring
};

// If the block is mostly empty, copies the records into a block of their size and returns the large
// one; else null.
std::unique_ptr<kernel_records::Block> pack(Piece& piece);

struct Round {
  std::vector<Piece> pieces;
  uint64_t horizon = 0;  // all older records are in this round or an earlier one
  size_t bytes = 0;
};

// Computes the horizon: the time up to which all records are complete after each round.
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

// The length of rounds. Each round wakes two threads, which costs as much as unwinding a hundred
// samples, so rounds are as long as the rings allow. They are shorter while wick learns something
// about stacks that it needs for the next samples:
//
//     prompt   1 to 4 ms       at the start, while stacks are read from the process, after threads
//                              of an interpreter are found, and for a moment after the first sample
//                              of a process (reader_wakeup.h); the consumer is notified at once
//     close    20 to 60 ms     after threads have started, while there are deep stacks, and while
//                              lists of frames are copied: names are read from the process
//     steady   up to 240 ms    otherwise, as long as no ring gets more than half full
//
// The drain asks for the length; the consumer may shorten rounds at any time.
class Pace {
 public:
  void begin(uint64_t now);
  void speed_up(uint64_t now);
  // For just enough rounds to deliver what the rings contain; does nothing if that happened many
  // times in the last second.
  void deliver_soon(uint64_t now);
  bool may_deliver_soon(uint64_t now) const;
  // For the names of an interpreted program that has just started.
  void deliver_names(uint64_t now);
  void watch_closely(uint64_t now);
  // A round that began `elapsed_ns` after the one before found the fullest ring filled to `share`.
  void adapt_to(double share, uint64_t elapsed_ns);
  bool is_prompt(uint64_t now) const { return now < prompt_until_; }
  bool is_close(uint64_t now) const { return now < close_until_; }
  int round_ms(uint64_t now, bool some_hung_up);

 private:
  void extend_prompt(uint64_t until);

  std::atomic<uint64_t> prompt_until_ = 0;
  std::atomic<uint64_t> close_until_ = 0;
  int longest_ms_ = 0;           // of a steady round; 0: nothing is known yet
  uint64_t first_delivery_ = 0;  // of the last `deliveries_`
  int deliveries_ = 0;
  std::minstd_rand random_{std::random_device()()};
};

class Drain {
 public:
  struct Hints {
    uint64_t fill_ns = 0;  // the shortest time in which records fill a ring; 0: unknown
    const DeepStacks* deep_stacks = nullptr;  // or null
  };
  // `rings` and the deep stacks must outlive the drain.
  Drain(std::span<Ring> rings, const SampleShape& shape, const Hints& hints);
  ~Drain();
  Drain(const Drain&) = delete;
  Drain& operator=(const Drain&) = delete;

  Result<> start();
  // Empties the rings once more and ends the thread.
  void finish();

  // Readable if rounds wait that the consumer has not noticed yet.
  int descriptor() const { return ready_.get(); }
  // The number of rounds that wait now.
  size_t take_notice();
  std::optional<Round> take();
  // The consumer noticed rounds but did not take all of them: makes descriptor() readable again.
  void remind() const { ready_.signal(); }
  void speed_up() { pace_.speed_up(monotonic_ns()); }
  void deliver_names() { pace_.deliver_names(monotonic_ns()); }
  void watch_closely() { pace_.watch_closely(monotonic_ns()); }
  // A block that no sample refers to any more, to be filled again.
  void reuse(std::unique_ptr<kernel_records::Block> block);

 private:
  void run();
  void wait();
  bool rings_wake() const;
  bool queue_is_full();
  bool consumer_lags();
  void drain_round();
  Piece new_piece();

  std::span<Ring> rings_;
  Hints hints_;
  SampleShape shape_;
  Horizon horizon_;
  std::vector<Ring*> polled_;  // the rings whose event has not hung up
  Pace pace_;

  std::thread thread_;
  Wakeup wake_;
  Wakeup ready_;
  std::atomic<bool> finishing_ = false;

  std::mutex mutex_;
  std::deque<Round> queue_;
  std::vector<std::unique_ptr<kernel_records::Block>> spare_;
  size_t queued_bytes_ = 0;
  uint64_t notified_at_ = 0;  // time of the last notification of the consumer
};

}  // namespace wick::record

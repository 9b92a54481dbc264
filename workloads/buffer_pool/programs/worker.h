// SPDX-License-Identifier: Apache-2.0
// One thread of a program: the source of its buffers, and when it has done enough.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "buffer_pool/pool/pool.h"
#include "buffer_pool/programs/audit.h"

namespace buffer_pool {

// Set by a timer's signal when the time is up: reading a clock for each get would cost more than
// the get.
inline std::atomic<bool> time_is_up{false};

// When to stop, other than by time.
struct Quota {
  int64_t gets = 0;
  int64_t passes = 0;
};

// Aligned, because workers are adjacent in memory and each thread writes to its own all the time.
class alignas(64) Worker {
 public:
  Worker(Pool& pool, int number, const Quota& quota, int64_t scan_every)
      : pool_(pool), number_(number), quota_(quota) {
    audit_.next_token = (static_cast<int64_t>(number) + 1) << 40;
    audit_.scan_every = scan_every;
  }

  // Threads are numbered from 0 within a phase.
  int number() const { return number_; }

  bool more() const { return gets_ < quota_.gets && !time_is_up.load(std::memory_order_relaxed); }
  // Called before each pass of the documented work.
  bool next_pass() { return more() && passes_++ < quota_.passes; }

  Held take(size_t size) {
    ++gets_;
    return Held(audit_, pool_get(pool_, size));
  }

  int64_t gets() const { return gets_; }
  const Audit& audit() const { return audit_; }

 private:
  Pool& pool_;
  int number_;
  Quota quota_;
  int64_t gets_ = 0;
  int64_t passes_ = 0;
  Audit audit_;
};

}  // namespace buffer_pool

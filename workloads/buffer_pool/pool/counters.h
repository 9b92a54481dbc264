// SPDX-License-Identifier: Apache-2.0
// Counters for the pools of this process. Each thread counts in its own plain words, because an
// atomic counter, even a relaxed one, would cost as much as a whole get. They are added up when a
// thread ends.
#pragma once

#include <cstdint>

namespace buffer_pool {

struct Counters {
  int64_t gets = 0;
  int64_t puts = 0;
  int64_t thread_cache_hits = 0;    // gets that the thread's own cache served
  int64_t thread_cache_misses = 0;  // all other gets
  int64_t shared_hits = 0;          // misses that a shard (v1) or a queue (v2) served
  int64_t allocated = 0;            // buffers allocated, in advance or because none fitted
  int64_t freed = 0;
  int64_t evictions = 0;  // buffers freed because the shard or queue was full
  int64_t discards = 0;   // buffers freed because their size is not cached
  int64_t shard_locks = 0;
  int64_t shard_lock_waits = 0;  // locks that another thread held
  int64_t shard_lock_wait_ns = 0;
  int64_t entries_scanned = 0;  // entries that first_fit and evictions examined (v1)
  int64_t batches = 0;          // transfers between thread and queue (v2)
  int64_t zeroed_on_get_bytes = 0;
  int64_t zeroed_on_put_bytes = 0;
  int64_t pin_failures = 0;
};

// The name and the member of every counter, in the order above.
struct CounterName {
  const char* name;
  int64_t Counters::* member;
};
inline constexpr CounterName kCounterNames[] = {
    {"gets", &Counters::gets},
    {"puts", &Counters::puts},
    {"thread_cache_hits", &Counters::thread_cache_hits},
    {"thread_cache_misses", &Counters::thread_cache_misses},
    {"shared_hits", &Counters::shared_hits},
    {"allocated", &Counters::allocated},
    {"freed", &Counters::freed},
    {"evictions", &Counters::evictions},
    {"discards", &Counters::discards},
    {"shard_locks", &Counters::shard_locks},
    {"shard_lock_waits", &Counters::shard_lock_waits},
    {"shard_lock_wait_ns", &Counters::shard_lock_wait_ns},
    {"entries_scanned", &Counters::entries_scanned},
    {"batches", &Counters::batches},
    {"zeroed_on_get_bytes", &Counters::zeroed_on_get_bytes},
    {"zeroed_on_put_bytes", &Counters::zeroed_on_put_bytes},
    {"pin_failures", &Counters::pin_failures},
};

inline Counters& operator+=(Counters& sum, const Counters& more) {
  for (const CounterName& counter : kCounterNames) {
    sum.*counter.member += more.*counter.member;
  }
  return sum;
}

}  // namespace buffer_pool

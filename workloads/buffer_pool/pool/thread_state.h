// SPDX-License-Identifier: Apache-2.0
// The state of a thread: cached buffers, so that most gets and puts touch no memory that another
// thread writes, and its counters.
//
// All pools share the v1 cache, as in the original: a buffer of one pool may serve the next get
// from another. The v2 cache belongs to the pool that used it last; another pool empties it first.
// A thread that ends frees its buffers and adds its counters to those of the process.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "buffer_pool/pool/counters.h"
#include "buffer_pool/pool/memory.h"
#include "buffer_pool/pool/settings.h"

namespace buffer_pool {

inline constexpr size_t kClasses = 8;

struct V1Cache {
  void release(Counters& counters);

  std::vector<Entry> entries;
  uint64_t shard_hash = 0;  // masked, it gives the thread's shard in any pool
};

struct V2Cache {
  struct Stack {
    std::array<Entry, kMostThreadCached> entries;
    int count = 0;
  };
  void release(Counters& counters);

  uint64_t pool_id = 0;  // 0: of no pool
  std::array<Stack, kClasses> classes;
};

struct ThreadState {
  ThreadState();
  ~ThreadState();
  ThreadState(const ThreadState&) = delete;
  ThreadState& operator=(const ThreadState&) = delete;

  void release() { v1.release(counters), v2.release(counters); }

  Counters counters;
  V1Cache v1;
  V2Cache v2;
};

// A plain pointer needs no check for a constructor; the slow path makes the state.
inline constinit thread_local ThreadState* current_thread_state = nullptr;
ThreadState& make_thread_state();
inline ThreadState& this_thread() {
  return current_thread_state != nullptr ? *current_thread_state : make_thread_state();
}

// The counters of all threads that have ended, and of this one.
Counters counted_so_far();

}  // namespace buffer_pool

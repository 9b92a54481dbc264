// SPDX-License-Identifier: Apache-2.0
#include "buffer_pool/pool/thread_state.h"

#include <atomic>
#include <mutex>

#include "common/no_inline.h"

namespace buffer_pool {

namespace {

std::mutex ended_threads_mutex;
Counters ended_threads;
std::atomic<uint64_t> threads_so_far{0};

// Spreads consecutive numbers over the whole range (the finalizer of splitmix64).
uint64_t scrambled(uint64_t number) {
  number += 0x9e3779b97f4a7c15;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return number ^ (number >> 31);
}

}  // namespace

ThreadState::ThreadState() {
  v1.shard_hash = scrambled(threads_so_far.fetch_add(1));
}

ThreadState::~ThreadState() {
  release();
  current_thread_state = nullptr;
  std::lock_guard lock(ended_threads_mutex);
  ended_threads += counters;
}

void V1Cache::release(Counters& counters) {
  for (const Entry& entry : entries) {
    free_entry(entry, counters);
  }
  entries.clear();
}

void V2Cache::release(Counters& counters) {
  for (Stack& stack : classes) {
    while (stack.count > 0) {
      free_entry(stack.entries[static_cast<size_t>(--stack.count)], counters);
    }
  }
}

WORKLOAD_FUNCTION ThreadState& make_thread_state() {
  thread_local ThreadState state;
  current_thread_state = &state;
  return state;
}

Counters counted_so_far() {
  std::lock_guard lock(ended_threads_mutex);
  Counters sum = ended_threads;
  sum += this_thread().counters;
  return sum;
}

}  // namespace buffer_pool

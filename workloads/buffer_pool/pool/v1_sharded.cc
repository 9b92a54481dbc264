// SPDX-License-Identifier: Apache-2.0
// Engine v1: a cache per thread, then shards, each a list under a lock.
//
// Layout: N shards (a power of two), each a mutex, a list of entries of any size, and its length,
// which can be read without the lock. A thread always uses the same shard, selected by a hash of
// its number.
//
//   take: the thread's last entry if it is large enough, else its first that is (first_fit);
//         else the same in the thread's shard, under the lock; else none.
//   keep: into the thread's cache while that is below its limit; else entries below the minimal
//         size are freed; else into the shard; a full shard evicts.
//
// The weaknesses are intentional, for a profiler to find: sizes are mixed in one list, so a small
// get may take a huge buffer and the next huge get scans the list in vain; the eviction walks the
// whole shard under the lock ("clock" here is an aged minimum, not a clock hand); one thread's
// shard may be full while another's is empty.
//
// Invariant: an entry is in exactly one of a thread's cache, a shard, or a user's hands.
// Shard::length is the list's length whenever the lock is free.
#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <vector>

#include "buffer_pool/pool/engine.h"
#include "common/clocks.h"
#include "common/no_inline.h"

namespace buffer_pool {

namespace v1 {

using Entries = std::vector<Entry>;

struct alignas(64) Shard {
  std::mutex mutex;
  Entries entries;
  std::atomic<size_t> length{0};
};

constexpr size_t kNone = std::numeric_limits<size_t>::max();

// The first entry that is large enough.
WORKLOAD_FUNCTION size_t first_fit(const Entries& entries, size_t size, Counters& counters) {
  for (size_t at = 0; at < entries.size(); ++at) {
    if (entries[at].capacity >= size) {
      counters.entries_scanned += static_cast<int64_t>(at + 1);
      return at;
    }
  }
  counters.entries_scanned += static_cast<int64_t>(entries.size());
  return kNone;
}

// Removes one entry; the last one fills the gap.
Entry swap_remove(Entries& entries, size_t at) {
  Entry taken = entries[at];
  entries[at] = entries.back();
  entries.pop_back();
  return taken;
}

Entry last_or_first_fit(Entries& entries, size_t size, Counters& counters) {
  if (entries.empty()) {
    return {};
  }
  bool last_fits = entries.back().capacity >= size;
  size_t at = last_fits ? entries.size() - 1 : first_fit(entries, size, counters);
  return at == kNone ? Entry{} : swap_remove(entries, at);
}

WORKLOAD_FUNCTION Entry tls_pop(ThreadState& thread, size_t size) {
  Entry entry = last_or_first_fit(thread.v1.entries, size, thread.counters);
  ++(entry ? thread.counters.thread_cache_hits : thread.counters.thread_cache_misses);
  return entry;
}

WORKLOAD_FUNCTION bool tls_push(ThreadState& thread, const Entry& entry, int limit) {
  if (thread.v1.entries.size() >= static_cast<size_t>(limit)) {
    return false;
  }
  thread.v1.entries.push_back(entry);
  return true;
}

// Another thread holds the lock: waits, and counts the time.
WORKLOAD_FUNCTION void shard_lock_wait(Shard& shard, Counters& counters) {
  int64_t start = workloads::wall_ns();
  shard.mutex.lock();
  counters.shard_lock_wait_ns += workloads::wall_ns() - start;
  ++counters.shard_lock_waits;
}

WORKLOAD_FUNCTION std::unique_lock<std::mutex> shard_lock(Shard& shard, Counters& counters) {
  if (!shard.mutex.try_lock()) {
    shard_lock_wait(shard, counters);
  }
  ++counters.shard_locks;
  return {shard.mutex, std::adopt_lock};
}

WORKLOAD_FUNCTION Entry shard_pop(Shard& shard, size_t size, Counters& counters) {
  if (shard.length.load(std::memory_order_relaxed) == 0) {
    return {};
  }
  std::unique_lock lock = shard_lock(shard, counters);
  Entry entry = last_or_first_fit(shard.entries, size, counters);
  shard.length.store(shard.entries.size(), std::memory_order_relaxed);
  return entry;
}

// Ages all counters of a full shard and replaces the least used entry by the new one. Returns the
// old one. The caller holds the lock, and this takes long.
WORKLOAD_FUNCTION Entry evict_and_insert(Shard& shard, const Entry& entry, Counters& counters) {
  Entry* lowest = &shard.entries.front();
  for (Entry& candidate : shard.entries) {
    candidate.accesses = static_cast<uint8_t>(candidate.accesses - (candidate.accesses > 0));
    if (candidate.accesses < lowest->accesses) {
      lowest = &candidate;
    }
  }
  counters.entries_scanned += static_cast<int64_t>(shard.entries.size());
  Entry evicted = *lowest;
  *lowest = entry;
  return evicted;
}

// Returns the entry that must be freed, if any.
WORKLOAD_FUNCTION Entry shard_push(Shard& shard,
                                   const Entry& entry,
                                   const PoolSettings& settings,
                                   Counters& counters) {
  std::unique_lock lock = shard_lock(shard, counters);
  if (shard.entries.size() < static_cast<size_t>(settings.max_per_shard)) {
    shard.entries.push_back(entry);
    shard.length.store(shard.entries.size(), std::memory_order_relaxed);
    return {};
  }
  if (settings.policy == Policy::kLifo || shard.entries.empty()) {
    return entry;
  }
  return evict_and_insert(shard, entry, counters);
}

class ShardedEngine : public Engine {
 public:
  explicit ShardedEngine(const PoolSettings& settings)
      : settings_(settings), shards_(static_cast<size_t>(settings.shards)) {}

  ~ShardedEngine() override {
    for (Shard& shard : shards_) {
      for (const Entry& entry : shard.entries) {
        free_entry(entry, this_thread().counters);
      }
    }
  }

  Entry take(ThreadState& thread, size_t size) override {
    Entry entry = tls_pop(thread, size);
    if (!entry) {
      entry = shard_pop(shard_of(thread), size, thread.counters);
      thread.counters.shared_hits += entry ? 1 : 0;
    }
    if (entry && entry.accesses < std::numeric_limits<uint8_t>::max()) {
      ++entry.accesses;
    }
    return entry;
  }

  void keep(ThreadState& thread, const Entry& entry) override {
    if (tls_push(thread, entry, settings_.thread_limit)) {
      return;
    }
    if (entry.capacity < settings_.min_size) {
      free_entry(entry, thread.counters);
      ++thread.counters.discards;
      return;
    }
    if (Entry evicted = shard_push(shard_of(thread), entry, settings_, thread.counters)) {
      free_entry(evicted, thread.counters);
      ++thread.counters.evictions;
    }
  }

  size_t fresh_capacity(size_t size) const override { return size; }

  void preallocate(int count, size_t size) override {
    int per_shard = (count + settings_.shards - 1) / settings_.shards;
    Counters& counters = this_thread().counters;
    for (Shard& shard : shards_) {
      int room = settings_.max_per_shard - static_cast<int>(shard.entries.size());
      for (int made = 0; made < std::min(per_shard, room); ++made) {
        size_t capacity = std::max(size, settings_.min_size);
        shard.entries.push_back(allocate_entry(settings_, capacity, counters));
      }
      shard.length.store(shard.entries.size(), std::memory_order_relaxed);
    }
  }

 private:
  Shard& shard_of(const ThreadState& thread) {
    return shards_[thread.v1.shard_hash & (shards_.size() - 1)];
  }

  PoolSettings settings_;
  std::vector<Shard> shards_;
};

}  // namespace v1

std::unique_ptr<Engine> make_v1(const PoolSettings& settings) {
  return std::make_unique<v1::ShardedEngine>(settings);
}

}  // namespace buffer_pool

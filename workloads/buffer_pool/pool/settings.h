// SPDX-License-Identifier: Apache-2.0
// The settings of a pool: every number that users of the original can choose.
#pragma once

#include <cstddef>

namespace buffer_pool {

enum class EngineKind { kV1, kV2 };

// What happens to a buffer that is returned to a full shard (v1).
enum class Policy {
  kClock,  // it replaces the least used one, after all counters have aged by one
  kLifo,   // it is freed
};

// When the bytes of a reused buffer are cleared. Either option promises a buffer of zeros, because
// fresh memory is then zeroed too; without both there is no promise and no clearing.
struct Zeroing {
  bool on_get = true;
  bool on_put = true;

  bool promised() const { return on_get || on_put; }
};

inline constexpr int kMostThreadCached = 64;

struct PoolSettings {
  EngineKind engine = EngineKind::kV1;
  Zeroing zeroing;
  Policy policy = Policy::kClock;
  bool pinned = false;       // mlock every buffer
  int shards = 8;            // v1: a power of two
  int thread_limit = 4;      // buffers that a thread caches (v2: of each class), 0 to 64
  int max_per_shard = 32;    // v1
  size_t min_size = 4096;    // v1: shards do not store smaller buffers
  int queue_capacity = 256;  // v2: of each class, a power of two, at least 2
  int batch = 4;             // v2: buffers moved between thread and queue at once
};

// The original's defaults on a machine with this many CPUs.
int default_shards(int cpus);
int default_thread_limit(int cpus);

}  // namespace buffer_pool

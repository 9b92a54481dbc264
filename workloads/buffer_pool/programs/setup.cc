// SPDX-License-Identifier: Apache-2.0
#include "buffer_pool/programs/setup.h"

#include <algorithm>
#include <bit>
#include <thread>

namespace buffer_pool {

namespace {

constexpr int64_t kMany = 1'000'000'000'000;
constexpr int kByCpus = -1;

bool power_of_two(int number) {
  return std::has_single_bit(static_cast<unsigned>(number));
}

int queue_for(const PoolSettings& pool) {
  unsigned entries = static_cast<unsigned>(pool.shards) * static_cast<unsigned>(pool.max_per_shard);
  return static_cast<int>(std::bit_ceil(std::max(entries, 2U)));
}

std::string zeroing_of(const std::string& engine) {
  return engine == "v1" ? "get,put" : "none";
}

}  // namespace

void Setup::add_flags(workloads::Options& options) {
  pool.queue_capacity = 0;
  options.real("seconds", seconds, 0.01, 86'400, "how long to run");
  options.number("operations", operations, 0, kMany, "run for N gets instead; 0: by time");
  options.number("passes", passes, 0, kMany, "run N rounds of the documented work instead");
  options.choice(
      "engine", engine, {"v1", "v2"}, "v1: locked shards; v2: size classes, lock-free queues");
  options.choice("zero",
                 zero,
                 {"get", "put", "get,put", "none"},
                 "when a buffer is cleared; v1 does both, v2 none by default");
  options.number("threads", threads, 1, 1024, "threads that use the pool at the same time");
  options.number("shards", pool.shards, -1, 1024, "v1: lists with a lock each; -1: by the CPUs");
  options.number("tls",
                 pool.thread_limit,
                 -1,
                 kMostThreadCached,
                 "buffers a thread keeps (v2: of each class); -1: by the CPUs");
  options.number("max-per-shard", pool.max_per_shard, 0, 65'536, "v1: buffers in a shard");
  options.number(
      "min-size", pool.min_size, 0, int64_t{1} << 30, "v1: smaller ones are not kept in shards");
  options.choice(
      "policy", policy, {"clock", "lifo"}, "v1: a full shard replaces its least used, or frees");
  options.number("queue",
                 pool.queue_capacity,
                 0,
                 1 << 20,
                 "v2: buffers in a class's queue; 0: shards x max-per-shard");
  options.number(
      "batch", pool.batch, 1, kMostThreadCached, "v2: buffers moved to or from a queue at once");
  options.flag("pinned", pool.pinned, "lock every buffer in memory");
  options.text("preallocate", preallocate, "COUNTxSIZE,...", "buffers made before the start");
  options.number("scale", scale, 1, 1'000'000, "all sizes are divided by this");
  options.number("check-every",
                 check_every,
                 0,
                 kMany,
                 "look at all bytes of each Nth buffer; 0: at its ends only");
  options.flag("demand-zeroed",
               demand_zeroed,
               "fail when a buffer is not zeroed, promised or not: shows that the check can fail");
}

void Setup::resolve(const workloads::Options& options) {
  int cpus = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
  pool.shards = pool.shards == kByCpus ? default_shards(cpus) : pool.shards;
  pool.thread_limit = pool.thread_limit == kByCpus ? default_thread_limit(cpus) : pool.thread_limit;
  if (!power_of_two(pool.shards)) {
    options.fail_usage("--shards must be a power of two (or -1), not " +
                       std::to_string(pool.shards) + ".");
  }
  pool.queue_capacity = pool.queue_capacity == 0 ? queue_for(pool) : pool.queue_capacity;
  if (!power_of_two(pool.queue_capacity) || pool.queue_capacity < 2) {
    options.fail_usage("--queue must be a power of two from 2 on (or 0), not " +
                       std::to_string(pool.queue_capacity) + ".");
  }
  pool.min_size /= static_cast<size_t>(scale);
  pool.engine = engine == "v1" ? EngineKind::kV1 : EngineKind::kV2;
  pool.policy = policy == "clock" ? Policy::kClock : Policy::kLifo;
  zero = zero.empty() ? zeroing_of(engine) : zero;
  pool.zeroing = {zero.find("get") != std::string::npos, zero.find("put") != std::string::npos};
  if (!preallocate.empty()) {
    preallocated = sizes(options, "preallocate", preallocate);
  }
}

SizeList Setup::sizes(const workloads::Options& options,
                      const std::string& flag,
                      const std::string& text) const {
  SizeList list = parse_sizes(text).value_or(SizeList{});
  if (list.empty()) {
    options.fail_usage("--" + flag +
                       " takes sizes from 16 bytes to 1024M such as 4K,8x64K,2x1M, not '" + text +
                       "'.");
  }
  for (SizeRow& row : list) {
    row.size /= static_cast<size_t>(scale);
    if (row.size < kSmallestSize) {
      options.fail_usage("--scale " + std::to_string(scale) + " makes a buffer of --" + flag +
                         " smaller than 16 bytes; choose a smaller scale.");
    }
  }
  return list;
}

}  // namespace buffer_pool

// SPDX-License-Identifier: Apache-2.0
// Tests the rules of the pool, one function each: which buffer a get receives, where a put goes,
// which bytes are cleared, and that the self-check of the programs detects errors.
//
// Tests of counters run in a new thread with empty caches (counted), so that the counters belong to
// them alone. The program prints the rules that fail and ends with status 1.
#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "buffer_pool/pool/pool.h"
#include "buffer_pool/programs/audit.h"
#include "buffer_pool/programs/size_list.h"
#include "common/json.h"
#include "common/options.h"

namespace {

using buffer_pool::Audit;
using buffer_pool::Buffer;
using buffer_pool::Counters;
using buffer_pool::EngineKind;
using buffer_pool::Policy;
using buffer_pool::Pool;
using buffer_pool::pool_get;
using buffer_pool::PoolSettings;
using buffer_pool::Zeroing;

std::vector<std::string> failures;
int expectations = 0;

void expect(bool holds, const std::string& what) {
  ++expectations;
  if (!holds) {
    failures.push_back(what);
  }
}

PoolSettings settings_of(EngineKind engine) {
  PoolSettings settings;
  settings.engine = engine;
  settings.shards = 1;
  settings.thread_limit = 2;
  settings.max_per_shard = 2;
  settings.min_size = 64;
  settings.queue_capacity = 4;
  settings.batch = 2;
  return settings;
}

// Runs `work` in a separate thread with empty caches, and returns the pool's counters for it.
template <typename Work>
Counters counted(const PoolSettings& settings, Work work) {
  Counters before = buffer_pool::counted_so_far();
  std::jthread([&] {
    Pool pool(settings);
    work(pool);
  }).join();
  Counters after = buffer_pool::counted_so_far();
  for (const buffer_pool::CounterName& counter : buffer_pool::kCounterNames) {
    after.*counter.member -= before.*counter.member;
  }
  expect(after.gets == after.puts, "gets are puts");
  expect(after.allocated == after.freed, "what was allocated is freed");
  return after;
}

// Takes buffers of these sizes at once and returns them in this order.
void use(Pool& pool, const std::vector<size_t>& sizes) {
  std::vector<Buffer> held;
  for (size_t size : sizes) {
    held.push_back(pool_get(pool, size));
  }
  for (Buffer& buffer : held) {
    Buffer gone = std::move(buffer);
  }
}

void v1_prefers_the_last_then_the_first_that_fits() {
  counted(settings_of(EngineKind::kV1), [](Pool& pool) {
    use(pool, {1000, 500});
    expect(pool_get(pool, 100).capacity() == 500, "v1: the last one is taken when it fits");
    expect(pool_get(pool, 600).capacity() == 1000, "v1: else the first that fits");
    expect(pool_get(pool, 2000).capacity() == 2000, "v1: else a new one of just this size");
  });
}

void v1_overflows_into_the_shard_and_evicts() {
  PoolSettings settings = settings_of(EngineKind::kV1);
  Counters clock = counted(settings, [](Pool& pool) { use(pool, {100, 200, 300, 400, 500}); });
  expect(clock.evictions == 1, "v1: two in the thread, two in the shard, the fifth evicts");
  settings.policy = Policy::kLifo;
  Counters lifo = counted(settings, [](Pool& pool) { use(pool, {100, 200, 300, 400, 500}); });
  expect(lifo.evictions == 1, "v1: under lifo the fifth is freed");
  Counters small = counted(settings, [](Pool& pool) { use(pool, {100, 200, 32, 48}); });
  expect(small.discards == 2 && small.shard_locks == 0, "v1: small ones never come to a shard");
}

// The shard holds a buffer that was reused often and one that never was: the latter is evicted.
void v1_evicts_the_least_used() {
  PoolSettings settings = settings_of(EngineKind::kV1);
  settings.thread_limit = 0;
  counted(settings, [](Pool& pool) {
    use(pool, {1000});
    for (int again = 0; again < 5; ++again) {
      use(pool, {1000});
    }
    use(pool, {1000, 2000, 3000});
    Buffer newcomer = pool_get(pool, 2500);
    expect(newcomer.capacity() == 3000, "v1: the newcomer stays");
    expect(pool_get(pool, 900).capacity() == 1000, "v1: the one used least is gone");
  });
}

void v1_mixes_pools_and_v2_does_not() {
  for (EngineKind engine : {EngineKind::kV1, EngineKind::kV2}) {
    PoolSettings settings = settings_of(engine);
    Counters counters = counted(settings, [&](Pool& first) {
      Pool second(settings);
      use(first, {4096});
      use(second, {4096});
    });
    int64_t hits = engine == EngineKind::kV1 ? 1 : 0;
    expect(counters.thread_cache_hits == hits, "a buffer crosses pools in v1 only");
  }
}

void v2_rounds_up_to_its_classes() {
  counted(settings_of(EngineKind::kV2), [](Pool& pool) {
    expect(pool_get(pool, 64).capacity() == 4096, "v2: 4 KiB is the smallest class");
    expect(pool_get(pool, 4097).capacity() == 16384, "v2: classes grow by four");
    expect(pool_get(pool, 1U << 20U).capacity() == 1U << 20U, "v2: a class's own size fits");
    expect(pool_get(pool, (64U << 20U) + 1).capacity() == (64U << 20U) + 1, "v2: beyond, as asked");
  });
}

void v2_moves_batches() {
  Counters spilled = counted(settings_of(EngineKind::kV2), [](Pool& pool) {
    use(pool, {100, 100, 100});
    use(pool, {100, 100, 100});
  });
  expect(spilled.batches == 3, "v2: a batch out, a batch back, a batch out");
  expect(spilled.allocated == 3, "v2: nothing is made that waits somewhere");
  Counters full = counted(settings_of(EngineKind::kV2),
                          [](Pool& pool) { use(pool, std::vector<size_t>(10, 100)); });
  expect(full.evictions == 4, "v2: two in the thread, four in the queue, four are freed");
}

void buffers_made_ahead_wait() {
  PoolSettings settings = settings_of(EngineKind::kV1);
  settings.shards = 4;
  settings.max_per_shard = 8;
  Counters v1 = counted(settings, [](Pool& pool) { pool.preallocate(5, 10); });
  expect(v1.allocated == 8, "v1: as many in each shard, rounded up");
  Counters v2 = counted(settings_of(EngineKind::kV2), [](Pool& pool) {
    pool.preallocate(3, 100);
    use(pool, {100, 100, 100});
  });
  expect(v2.allocated == 3 && v2.shared_hits == 2 && v2.thread_cache_hits == 1,
         "v2: they wait in the queue");
}

bool all_zero(const Buffer& buffer) {
  return std::ranges::all_of(buffer.bytes(), [](std::byte byte) { return byte == std::byte{0}; });
}

void zeroing_is_kept() {
  for (EngineKind engine : {EngineKind::kV1, EngineKind::kV2}) {
    for (Zeroing zeroing : {Zeroing{true, true}, {true, false}, {false, true}, {false, false}}) {
      PoolSettings settings = settings_of(engine);
      settings.zeroing = zeroing;
      Counters counters = counted(settings, [&](Pool& pool) {
        {
          Buffer buffer = pool_get(pool, 5000);
          std::ranges::fill(buffer.bytes(), std::byte{7});
        }
        expect(all_zero(pool_get(pool, 4500)) == zeroing.promised(),
               "zeros if and only if promised");
      });
      expect(counters.zeroed_on_get_bytes == (zeroing.on_get ? 4500 : 0),
             "a get clears what it hands out");
      expect(counters.zeroed_on_put_bytes == (zeroing.on_put ? 9500 : 0),
             "a put clears what was lent");
    }
  }
}

void any_thread_may_return_a_buffer() {
  for (EngineKind engine : {EngineKind::kV1, EngineKind::kV2}) {
    counted(settings_of(engine), [](Pool& pool) {
      for (int round = 0; round < 20; ++round) {
        std::vector<Buffer> held;
        for (int taken = 0; taken < 10; ++taken) {
          held.push_back(pool_get(pool, 4096));
        }
        std::jthread([&held] { held.clear(); }).join();
      }
    });
  }
}

void the_audit_notices() {
  std::vector<std::byte> memory(100);
  Audit audit;
  audit.scan_every = 1;
  int64_t mine = audit_begin(audit, memory);
  audit_end(audit, memory, mine);
  expect(audit.dirty == 0 && audit.twice == 0, "audit: a good buffer is good");
  mine = audit_begin(audit, memory);
  expect(audit.dirty == 1, "audit: the token of the last user is seen");
  audit_begin(audit, memory);
  audit_end(audit, memory, mine);
  expect(audit.twice == 1, "audit: a second user is seen");
  std::ranges::fill(memory, std::byte{0});
  memory[50] = std::byte{1};
  audit_begin(audit, memory);
  expect(audit.dirty == 3, "audit: one byte in the middle is seen");
}

void lists_of_sizes() {
  auto list = buffer_pool::parse_sizes("8x128M,4K,2x100");
  expect(list && list->size() == 3 && (*list)[0].count == 8 && (*list)[0].size == 128U << 20U &&
             (*list)[1].count == 1 && (*list)[1].size == 4096 && (*list)[2].size == 100,
         "sizes: counts and units");
  for (const char* bad : {",",
                          "4K,",
                          "x4K",
                          "0x4K",
                          "4G",
                          "-1",
                          "4Kx2",
                          "2x",
                          "15",
                          "2000M",
                          "4K 8K",
                          "99999999999999999999",
                          "9999999x4K"}) {
    expect(!buffer_pool::parse_sizes(bad), std::string("sizes: no list: ") + bad);
  }
}

}  // namespace

int main(int argc, char** argv) {
  workloads::Options options("pool_check", "Checks the rules of the pool and of the self-check.");
  options.parse(argc, argv);
  v1_prefers_the_last_then_the_first_that_fits();
  v1_overflows_into_the_shard_and_evicts();
  v1_evicts_the_least_used();
  v1_mixes_pools_and_v2_does_not();
  v2_rounds_up_to_its_classes();
  v2_moves_batches();
  buffers_made_ahead_wait();
  zeroing_is_kept();
  any_thread_may_return_a_buffer();
  the_audit_notices();
  lists_of_sizes();
  workloads::Json json;
  json.field("expectations", expectations);
  json.array("failed", [](workloads::Json& list) {
    for (const std::string& what : failures) {
      list.field("", what);
    }
  });
  json.print();
  return failures.empty() ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
#include "buffer_pool/pool/pool.h"

#include <cstring>

#include "common/no_inline.h"

namespace buffer_pool {

Pool::Pool(const PoolSettings& settings)
    : settings_(settings),
      engine_(settings.engine == EngineKind::kV1 ? make_v1(settings) : make_v2(settings)) {}

// Each of these counts after its call, so that the call is not a tail call and the caller stays on
// the stack.

WORKLOAD_FUNCTION void zero_on_get(const Entry& entry, size_t size, Counters& counters) {
  std::memset(entry.data, 0, size);
  counters.zeroed_on_get_bytes += static_cast<int64_t>(size);
}

WORKLOAD_FUNCTION void zero_on_put(const Entry& entry, size_t size, Counters& counters) {
  std::memset(entry.data, 0, size);
  counters.zeroed_on_put_bytes += static_cast<int64_t>(size);
}

WORKLOAD_FUNCTION Buffer pool_get(Pool& pool, size_t size) {
  ThreadState& thread = this_thread();
  Entry entry = pool.engine().take(thread, size);
  if (!entry) {
    entry = allocate_entry(pool.settings(), pool.engine().fresh_capacity(size), thread.counters);
  } else if (pool.settings().zeroing.on_get) {
    zero_on_get(entry, size, thread.counters);
  }
  ++thread.counters.gets;
  return {pool, entry, size};
}

WORKLOAD_FUNCTION void pool_put(Pool& pool, const Entry& entry, size_t size) {
  ThreadState& thread = this_thread();
  if (pool.settings().zeroing.on_put) {
    zero_on_put(entry, size, thread.counters);
  }
  pool.engine().keep(thread, entry);
  ++thread.counters.puts;
}

}  // namespace buffer_pool

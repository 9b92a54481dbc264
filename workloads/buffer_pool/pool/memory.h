// SPDX-License-Identifier: Apache-2.0
// The memory of a buffer. An Entry owns its bytes as a pointer from malloc does: it is copied
// freely from cache to shard to queue, and at each moment exactly one of these holds it. The last
// holder calls free_entry. Entries do not refer to their pool, so they may outlive it in a thread's
// cache.
#pragma once

#include <cstddef>
#include <cstdint>

#include "buffer_pool/pool/counters.h"
#include "buffer_pool/pool/settings.h"

namespace buffer_pool {

struct Entry {
  std::byte* data = nullptr;
  size_t capacity = 0;
  uint8_t accesses = 0;  // how often it was reused, aged by evictions (v1)
  bool pinned = false;

  explicit operator bool() const { return data != nullptr; }
};

// Zeroed if the settings promise zeros. Ends the program with one sentence if there is no memory.
Entry allocate_entry(const PoolSettings& settings, size_t capacity, Counters& counters);
void free_entry(const Entry& entry, Counters& counters);

// Prints that there is no memory, and ends with status 1. Also for std::set_new_handler.
[[noreturn]] void out_of_memory();

}  // namespace buffer_pool

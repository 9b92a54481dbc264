// SPDX-License-Identifier: Apache-2.0
#include "buffer_pool/pool/memory.h"

#include <cstdlib>
#include <cstring>
#include <string_view>

#include <sys/mman.h>
#include <unistd.h>

#include "common/no_inline.h"

namespace buffer_pool {

namespace {

constexpr size_t kPage = 4096;

// The kernel counts locks by page, and they do not nest, so a pinned buffer shares no page.
std::byte* allocate_pages(size_t capacity, bool zeroed) {
  size_t bytes = (capacity + kPage - 1) / kPage * kPage;
  void* data = std::aligned_alloc(kPage, bytes);
  if (data != nullptr && zeroed) {
    std::memset(data, 0, bytes);
  }
  return static_cast<std::byte*>(data);
}

std::byte* allocate_bytes(size_t capacity, bool zeroed) {
  return static_cast<std::byte*>(zeroed ? std::calloc(1, capacity) : std::malloc(capacity));
}

}  // namespace

WORKLOAD_FUNCTION Entry allocate_entry(const PoolSettings& settings,
                                       size_t capacity,
                                       Counters& counters) {
  bool zeroed = settings.zeroing.promised();
  std::byte* data =
      settings.pinned ? allocate_pages(capacity, zeroed) : allocate_bytes(capacity, zeroed);
  if (data == nullptr) {
    out_of_memory();
  }
  bool pinned = settings.pinned && mlock(data, capacity) == 0;
  if (settings.pinned && !pinned) {
    ++counters.pin_failures;
  }
  ++counters.allocated;
  return {data, capacity, 1, pinned};
}

WORKLOAD_FUNCTION void free_entry(const Entry& entry, Counters& counters) {
  if (entry.pinned) {
    munlock(entry.data, entry.capacity);
  }
  std::free(entry.data);
  ++counters.freed;
}

void out_of_memory() {
  constexpr std::string_view kSentence =
      "buffer_pool: There is not enough memory; ask for fewer threads or smaller buffers.\n";
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, kSentence.data(), kSentence.size());
  _exit(1);
}

}  // namespace buffer_pool

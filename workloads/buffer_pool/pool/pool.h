// SPDX-License-Identifier: Apache-2.0
// A pool of byte buffers, which are expensive to allocate and cheap to reuse.
//
//     Pool pool(settings);
//     Buffer buffer = pool_get(pool, 65536);     // returns itself when it goes out of scope
//
// pool_get and pool_put are the same for both engines, so that their profiles can be compared. The
// pool must outlive its buffers; any thread may get and put.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "buffer_pool/pool/engine.h"
#include "buffer_pool/pool/memory.h"
#include "buffer_pool/pool/settings.h"

namespace buffer_pool {

class Pool;

// Borrowed bytes; empty after a move.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Pool& pool, const Entry& entry, size_t size) : pool_(&pool), entry_(entry), size_(size) {}
  Buffer(Buffer&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)), entry_(other.entry_), size_(other.size_) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(entry_, other.entry_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Buffer();

  std::span<std::byte> bytes() const { return {entry_.data, size_}; }
  size_t capacity() const { return entry_.capacity; }

 private:
  Pool* pool_ = nullptr;
  Entry entry_;
  size_t size_ = 0;
};

class Pool {
 public:
  explicit Pool(const PoolSettings& settings);

  void preallocate(int count, size_t size) { engine_->preallocate(count, size); }
  const PoolSettings& settings() const { return settings_; }
  Engine& engine() { return *engine_; }

 private:
  PoolSettings settings_;
  std::unique_ptr<Engine> engine_;
};

Buffer pool_get(Pool& pool, size_t size);
void pool_put(Pool& pool, const Entry& entry, size_t size);

inline Buffer::~Buffer() {
  if (pool_ != nullptr) {
    pool_put(*pool_, entry_, size_);
  }
}

}  // namespace buffer_pool

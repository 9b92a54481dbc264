// SPDX-License-Identifier: Apache-2.0
// An engine decides where a buffer waits between two uses. Clearing bytes, counting gets and puts,
// and allocating a buffer if none waits are the same for both engines; they are in pool.cc.
#pragma once

#include <cstddef>
#include <memory>

#include "buffer_pool/pool/memory.h"
#include "buffer_pool/pool/settings.h"
#include "buffer_pool/pool/thread_state.h"

namespace buffer_pool {

class Engine {
 public:
  virtual ~Engine() = default;

  // A waiting buffer of at least this size, or none.
  virtual Entry take(ThreadState& thread, size_t size) = 0;
  // Stores the buffer for later, or frees it, or frees another one instead.
  virtual void keep(ThreadState& thread, const Entry& entry) = 0;
  // The capacity of a new buffer for a get of this size.
  virtual size_t fresh_capacity(size_t size) const = 0;
  // Allocates buffers in advance. Not safe at the same time as other calls.
  virtual void preallocate(int count, size_t size) = 0;
};

std::unique_ptr<Engine> make_v1(const PoolSettings& settings);
std::unique_ptr<Engine> make_v2(const PoolSettings& settings);

}  // namespace buffer_pool

// SPDX-License-Identifier: Apache-2.0
// The self-check: a pool that is fast but wrong would be useless.
//
// A buffer must read as zeros if the pool promised it. The audit checks its first and last word
// each time, and all bytes from time to time. Then both words get a token that no other get ever
// had. Before the buffer is returned both must still be there: if the pool had given the same
// memory to another user in the meantime, their token would be in it. There are no atomics and no
// list of buffers, so that the check costs little and hides nothing. Each thread has its own audit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "buffer_pool/pool/pool.h"

namespace buffer_pool {

struct Audit {
  int64_t next_token = 1;
  int64_t scan_every = 0;  // 0: never check all bytes
  int64_t until_scan = 0;

  int64_t dirty = 0;    // buffers that were not zero when taken
  int64_t twice = 0;    // buffers that another user wrote to while they were held
  int64_t scanned = 0;  // buffers of which all bytes were checked
};

// Checks a new buffer, marks it, and returns the token.
int64_t audit_begin(Audit& audit, std::span<std::byte> bytes);
// Checks a buffer before it is returned.
void audit_end(Audit& audit, std::span<std::byte> bytes, int64_t token);

// A buffer from a pool, under audit until it is returned.
class Held {
 public:
  Held(Audit& audit, Buffer buffer)
      : audit_(&audit), buffer_(std::move(buffer)), token_(audit_begin(audit, buffer_.bytes())) {}
  Held(Held&& other) noexcept
      : audit_(std::exchange(other.audit_, nullptr)),
        buffer_(std::move(other.buffer_)),
        token_(other.token_) {}
  Held& operator=(Held&&) = delete;
  ~Held() {
    if (audit_ != nullptr) {
      audit_end(*audit_, buffer_.bytes(), token_);
    }
  }

 private:
  Audit* audit_;
  Buffer buffer_;
  int64_t token_;
};

}  // namespace buffer_pool

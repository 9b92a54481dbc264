// SPDX-License-Identifier: Apache-2.0
// The memory that a task accesses between two hand-overs: its own `bytes`, touched every `stride`
// bytes in each iteration. It shows the indirect cost of a switch: caches and TLB entries that the
// next task evicted.
#pragma once

#include <cstddef>
#include <cstdint>

#include "measurement.h"

namespace echo {

// Writes to every stride-th byte. A separate function, so that a profile names it.
void access_memory(unsigned char* memory, int64_t bytes, int64_t stride);

// The memory of all tasks, one after the other, each at a page boundary; mapped from the start, so
// that no iteration has a page fault.
class AccessMemory {
 public:
  AccessMemory() = default;
  ~AccessMemory();
  AccessMemory(const AccessMemory&) = delete;
  AccessMemory& operator=(const AccessMemory&) = delete;

  Problem allocate(int tasks, int64_t bytes, int64_t stride);

  void access(int task) const {
    if (bytes_ != 0) {
      access_memory(memory_ + task * bytes_per_task_, bytes_, stride_);
    }
  }

 private:
  unsigned char* memory_ = nullptr;
  int64_t size_ = 0;
  int64_t bytes_per_task_ = 0;
  int64_t bytes_ = 0;
  int64_t stride_ = 0;
};

}  // namespace echo

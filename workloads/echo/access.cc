// SPDX-License-Identifier: Apache-2.0
#include "access.h"

#include <sys/mman.h>
#include <unistd.h>

#include "common/no_inline.h"

namespace echo {

WORKLOAD_FUNCTION void access_memory(unsigned char* memory, int64_t bytes, int64_t stride) {
  volatile unsigned char* touched = memory;
  for (int64_t at = 0; at < bytes; at += stride) {
    touched[at] = static_cast<unsigned char>(touched[at] + 1);
  }
}

AccessMemory::~AccessMemory() {
  if (memory_ != nullptr) {
    munmap(memory_, static_cast<size_t>(size_));
  }
}

Problem AccessMemory::allocate(int tasks, int64_t bytes, int64_t stride) {
  if (bytes == 0) {
    return {};
  }
  int64_t page = sysconf(_SC_PAGESIZE);
  int64_t per_task = (bytes + page - 1) / page * page;
  int64_t size = per_task * tasks;
  std::string asked =
      std::to_string(tasks) + " tasks with " + std::to_string(bytes) + " bytes each";
  if (size > sysconf(_SC_PHYS_PAGES) * page / 2) {
    return asked + " need more than half of this machine's memory; ask for less.";
  }
  void* memory = mmap(nullptr,
                      static_cast<size_t>(size),
                      PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
                      -1,
                      0);
  if (memory == MAP_FAILED) {
    return "There is no memory for " + asked + "; ask for less.";
  }
  memory_ = static_cast<unsigned char*>(memory);
  size_ = size;
  bytes_per_task_ = per_task;
  bytes_ = bytes;
  stride_ = stride;
  return {};
}

}  // namespace echo

// SPDX-License-Identifier: Apache-2.0
#include "pipeline/process_memory.h"

#include <sys/uio.h>

namespace wick {

size_t RunningProcesses::read_some(int32_t pid, uint64_t address, std::span<std::byte> out) {
  iovec here = {out.data(), out.size()};
  iovec there = {reinterpret_cast<void*>(address), out.size()};
  ssize_t got = ::process_vm_readv(pid, &here, 1, &there, 1, 0);
  return got > 0 ? static_cast<size_t>(got) : 0;
}

}  // namespace wick

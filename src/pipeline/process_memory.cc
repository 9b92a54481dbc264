// SPDX-License-Identifier: Apache-2.0
#include "pipeline/process_memory.h"

#include <vector>

#include <limits.h>
#include <sys/uio.h>

namespace wick {

size_t RunningProcesses::read_some(int32_t pid, uint64_t address, std::span<std::byte> out) {
  iovec here = {out.data(), out.size()};
  iovec there = {reinterpret_cast<void*>(address), out.size()};
  ssize_t got = ::process_vm_readv(pid, &here, 1, &there, 1, 0);
  return got > 0 ? static_cast<size_t>(got) : 0;
}

bool RunningProcesses::read_all(int32_t pid, std::span<const MemoryPiece> pieces) {
  std::vector<iovec> here;
  std::vector<iovec> there;
  for (; !pieces.empty(); pieces = pieces.subspan(here.size())) {
    here.clear();
    there.clear();
    size_t bytes = 0;
    for (const MemoryPiece& piece : pieces.first(std::min<size_t>(pieces.size(), IOV_MAX))) {
      here.push_back({piece.out.data(), piece.out.size()});
      there.push_back({reinterpret_cast<void*>(piece.address), piece.out.size()});
      bytes += piece.out.size();
    }
    ssize_t got = ::process_vm_readv(pid, here.data(), here.size(), there.data(), there.size(), 0);
    if (got < 0 || static_cast<size_t>(got) != bytes) {
      return false;
    }
  }
  return true;
}

}  // namespace wick

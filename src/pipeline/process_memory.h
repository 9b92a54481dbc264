// SPDX-License-Identifier: Apache-2.0
// The memory of running processes. Unwinding uses it for data outside of a sample; reading a
// recording never does.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/memory_piece.h"

namespace wick {

class ProcessMemory {
 public:
  virtual ~ProcessMemory() = default;
  // Fills `out` from its front, as far as memory is mapped at the address; returns the number of
  // bytes. Called from several threads.
  virtual size_t read_some(int32_t pid, uint64_t address, std::span<std::byte> out) = 0;

  // Fills all of `out`, or returns false.
  bool read(int32_t pid, uint64_t address, std::span<std::byte> out) {
    return read_some(pid, address, out) == out.size();
  }
  // The same for all pieces.
  virtual bool read_all(int32_t pid, std::span<const MemoryPiece> pieces) {
    return std::ranges::all_of(
        pieces, [&](const MemoryPiece& piece) { return read(pid, piece.address, piece.out); });
  }
};

// process_vm_readv(2).
class RunningProcesses : public ProcessMemory {
 public:
  size_t read_some(int32_t pid, uint64_t address, std::span<std::byte> out) override;
  // One system call for many pieces.
  bool read_all(int32_t pid, std::span<const MemoryPiece> pieces) override;
};

}  // namespace wick

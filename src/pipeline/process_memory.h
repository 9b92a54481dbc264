// SPDX-License-Identifier: Apache-2.0
// The memory of processes that run right now. It is the only way in which unwinding looks outside
// of a sample; a recording that is read has none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace wick {

class ProcessMemory {
 public:
  virtual ~ProcessMemory() = default;
  // Fills `out` from its front, as far as the memory there is mapped; says how much that is. Called
  // from several threads.
  virtual size_t read_some(int32_t pid, uint64_t address, std::span<std::byte> out) = 0;

  // All of `out`, or false.
  bool read(int32_t pid, uint64_t address, std::span<std::byte> out) {
    return read_some(pid, address, out) == out.size();
  }
};

// process_vm_readv(2).
class RunningProcesses : public ProcessMemory {
 public:
  size_t read_some(int32_t pid, uint64_t address, std::span<std::byte> out) override;
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// The memory of one running process, for readers that know one process only.
#pragma once

#include <cstdint>

#include "pipeline/process_memory.h"
#include "runtimes/interpreter.h"

namespace wick {

class MemoryOfProcess : public InterpreterMemory {
 public:
  MemoryOfProcess(ProcessMemory& memory, int32_t pid) : memory_(memory), pid_(pid) {}
  size_t read_some(uint64_t address, std::span<std::byte> out) override {
    return memory_.read_some(pid_, address, out);
  }
  bool read_all(std::span<const MemoryPiece> pieces) override {
    return memory_.read_all(pid_, pieces);
  }

 private:
  ProcessMemory& memory_;
  int32_t pid_;
};

}  // namespace wick

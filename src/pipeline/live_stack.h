// SPDX-License-Identifier: Apache-2.0
// Reads more of a stack than the kernel copied, from the process itself during the recording.
//
// The kernel copies at most 64 KB, and only one stack, although a signal handler may run on another
// one. The memory beyond the copy belongs to the outer callers. It does not change until the thread
// returns to them, so a moment later the memory of the process is mostly still the same. Whether it
// is must be checked: by frames that are also in the copy, and by the code (call_check.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "pipeline/process_memory.h"
#include "unwind/unwind.h"

namespace wick {

class LiveStack : public StackMemory {
 public:
  LiveStack(ProcessMemory& memory, int32_t pid) : memory_(memory), pid_(pid) {}

  bool read(uint64_t address, std::span<std::byte> out) override;

 private:
  static constexpr size_t kPieceBytes = 64 << 10;
  static constexpr int kMaxPieces = 256;  // 16 MB: stacks have 8 unless the program asked for more

  // Reads a piece of the process' memory that starts at `address`; false if it is not readable.
  bool fetch(uint64_t address);

  ProcessMemory& memory_;
  int32_t pid_;
  int pieces_ = 0;
  uint64_t piece_begin_ = 0;
  std::vector<std::byte> piece_;
};

}  // namespace wick

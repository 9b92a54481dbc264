// SPDX-License-Identifier: Apache-2.0
// More of a stack than the kernel copied, from the process itself while it is being recorded.
//
// The kernel copies at most 64 KB, and of one stack only, though a signal may be handled on a stack
// of its own. What lies beyond belongs to the outer callers, which stay as they are for as long as
// the thread does not return to them; so a moment later the process' memory still shows them.
// Whether it does must be checked: by frames that the copy shows too, and by the code
// (call_check.h).
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
  static constexpr int kMostPieces = 256;  // 16 MB: stacks have 8 unless the program asked for more

  // Brings a piece of the process' memory that starts here; false when there is none.
  bool fetch(uint64_t address);

  ProcessMemory& memory_;
  int32_t pid_;
  int pieces_ = 0;
  uint64_t piece_begin_ = 0;
  std::vector<std::byte> piece_;
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// The BPF programs that read the parts of a stack that the kernel's own copy lacks (deep_stacks.h).
//
// Two of them run at each sample, one after the other, while the thread is stopped:
//
//     rest of the stack     the memory beyond the copy, if the copy was too short
//     interrupted stack     if a signal is handled on an alternate stack (sigaltstack), the stack
//                           that it interrupted: its stack pointer is in the signal's frame
//
// Neither can find the end of a stack, or the frame of a signal. The unwinder learns both, and they
// are the same at the next sample of the thread: the kernel puts the first signal at the upper end
// of the alternate stack each time.
#pragma once

#include <cstdint>

#include "base/descriptor.h"

namespace wick::record {

// The known facts about a thread; 0 if unknown.
struct KnownThread {
  uint64_t stack_end = 0;    // the outermost frame is below
  uint64_t interrupted = 0;  // address of the interrupted stack pointer in the signal's frame
};

// A record as the programs write it; the pages of the stack follow at kStackOffset.
struct StackCopy {
  uint64_t process_and_thread = 0;  // the tid is the lower half
  int64_t time_ns = 0;
  uint64_t stack_pointer = 0;  // of the thread
  uint64_t address = 0;
  uint64_t pages = 0;
  uint64_t is_interrupted = 0;  // the second program wrote it
};
inline constexpr int32_t kStackOffset = 64;
static_assert(sizeof(StackCopy) <= kStackOffset);
// The programs wake the reader for each record while the ring has more than this.
inline constexpr int32_t kBytesInUse = 1 << 20;
inline constexpr int32_t kCopiedPageBytes = 4096;  // independent of the machine's page size

// The maps that they share: a ring for records, a hash of KnownThread, and an array of one program.
struct StackProgramMaps {
  Descriptor ring;
  Descriptor threads;
  Descriptor next;
};

// Reads on from the end of a copy of `copied_bytes`; then runs the program in `next`, if any.
Descriptor load_rest_program(const StackProgramMaps& maps, uint32_t copied_bytes);
Descriptor load_interrupted_program(const StackProgramMaps& maps);

}  // namespace wick::record

// The BPF programs that read what the kernel's own copy of a stack leaves out (deep_stacks.h).
//
// Two of them run at each sample, one after the other, while the thread stands still:
//
//     rest of the stack     what lies beyond the copy, if that was too short
//     interrupted stack     where a signal is handled on a stack of its own (sigaltstack), the one
//                           that it interrupted: its stack pointer is in the signal's frame
//
// Neither finds out by itself where a stack ends, or where the frame of a signal stands. Both are
// learnt by whoever unwinds, and are the same at the next sample of the thread: the kernel puts the
// first signal to the upper end of the stack for handlers each time.
#pragma once

#include <cstdint>

#include "base/descriptor.h"

namespace wick::record {

// What has been learnt of a thread; 0 where nothing has.
struct KnownThread {
  uint64_t stack_end = 0;    // the outermost frame stands below
  uint64_t interrupted = 0;  // where the frame of a signal keeps the other stack's pointer
};

// A record as the programs write it; pages of a stack follow at kStackPlace.
struct KeptStack {
  uint64_t process_and_thread = 0;  // the thread in the lower half
  int64_t time_ns = 0;
  uint64_t stack_pointer = 0;  // of the thread
  uint64_t address = 0;
  uint64_t pages = 0;
  uint64_t is_interrupted = 0;  // the second program wrote it
};
inline constexpr int32_t kStackPlace = 64;
static_assert(sizeof(KeptStack) <= kStackPlace);
inline constexpr int32_t kKeptPageBytes = 4096;  // whatever the machine's are

// Maps that they share: a ring for records, a hash of KnownThread, and an array of one program.
struct StackProgramMaps {
  Descriptor ring;
  Descriptor threads;
  Descriptor next;
};

// Reads on where a copy of `copied_bytes` ends; then whatever is in `next` runs.
Descriptor load_rest_program(const StackProgramMaps& maps, uint32_t copied_bytes);
Descriptor load_interrupted_program(const StackProgramMaps& maps);

}  // namespace wick::record

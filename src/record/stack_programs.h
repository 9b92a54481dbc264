// SPDX-License-Identifier: Apache-2.0
// The BPF programs that read the parts of a stack that the kernel's own copy lacks (deep_stacks.h).
//
// Up to three run at each sample, one after the other (program_chain.h), while the thread is
// stopped:
//
//     left goroutine        if Go's runtime runs on a stack of its own, the stack and the registers
//                           of the goroutine that it has left (unwind/go_context.h)
//     rest of the stack     the memory beyond the copy, if the copy was too short
//     interrupted stack     if a signal is handled on an alternate stack (sigaltstack), the stack
//                           that it interrupted: its stack pointer is in the signal's frame
//
// None can find the end of a stack, the frame of a signal, or a goroutine. The unwinder learns
// them, and they are the same at the next sample of the thread: the kernel puts the first signal at
// the upper end of the alternate stack each time, and Go describes a thread in one place. The
// frames of an interpreter are no stack: frame_list_program.h copies them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/descriptor.h"
#include "record/program_chain.h"
#include "record/program_parts.h"

namespace wick::record {

// The known facts about a thread; 0 if unknown.
struct KnownThread {
  uint64_t stack_end = 0;      // the outermost frame is below
  uint64_t interrupted = 0;    // address of the interrupted stack pointer in the signal's frame
  uint64_t goroutine = 0;      // address of the pointer to its goroutine
  uint64_t saved = 0;          // offset of the registers that a goroutine was left with
  uint64_t frame_pointer = 0;  // offset in them; only for the reader of records
};

// The registers as Go saves them: stack pointer, pc, and others.
using SavedRegisters = std::array<uint64_t, 8>;

// A record as the programs write it; the pages of the stack follow at kStackOffset.
struct StackCopy {
  CopyHead head;
  uint64_t address = 0;
  uint64_t pages = 0;
  uint64_t goroutine = 0;  // 0: the thread has none, and nothing follows
  SavedRegisters saved = {};
};
inline constexpr int32_t kStackOffset = 128;
static_assert(sizeof(StackCopy) <= kStackOffset);
inline constexpr int32_t kCopiedPageBytes = 4096;  // independent of the machine's page size

// The maps that they share: a ring for records, and a hash of KnownThread.
struct StackProgramMaps {
  Descriptor ring;
  Descriptor threads;
};

// Reads on from the end of a copy of `copied_bytes`.
Descriptor load_rest_program(const StackProgramMaps& maps,
                             const ProgramChain& chain,
                             uint32_t copied_bytes);
Descriptor load_interrupted_program(const StackProgramMaps& maps, const ProgramChain& chain);
Descriptor load_goroutine_program(const StackProgramMaps& maps, const ProgramChain& chain);

}  // namespace wick::record

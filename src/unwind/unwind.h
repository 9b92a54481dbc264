// SPDX-License-Identifier: Apache-2.0
// Finds the callers of a thread from its registers and a copy of its stack.
//
// Each step answers one question: given pc, sp and fp of a frame, what were they in its caller? In
// this order:
//
//     1. CFI: the rule of the module's table at pc (unwind/table.h), which may also be one of a
//        known stub (PLT, signal return).
//     2. If the module has no rule for pc (generated code, hand-written assembly, a C library
//        without tables): the code itself, the frame pointer, a word of the stack, in this order
//        (unwind/bare_code.h). A call that can have led here must precede the return address.
//     3. For the sampled frame only: the word that a call would have left, if it follows a call: the
//        top of the stack, AArch64's link register.
//
// The address of the instruction selects the rule. For the sampled frame, and for one that a signal
// interrupted, that is pc itself. For all others pc is a return address, the instruction after a
// call, which may belong to the next function if the call never returns; so the unwinder looks up
// the byte before it. The result contains addresses as found; use frame_address() of a frame to
// look up symbols.
//
// The stack is complete only if its last frame is a known start: CFI says that there is no caller,
// or the code is known to start a program, a thread or a fiber (unwind/stubs.h). Zeros prove
// nothing: code without frame pointers never writes that register, and a wrong rule also reads a
// zero as a return address. Nor is a start proof after a guess that no code could confirm, because
// the file is missing: the guess may have skipped frames. StackEnd says why a stack is not
// complete. The stack pointer must rise with each frame (the sampled one, and frames around a
// signal, may stay), so the size of the copy bounds the work.
//
// Where there is CFI, the unwinder allocates nothing except in the vector that the caller passes.
// A rule that was used before costs one lookup in a small table (UnwindCache).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/frame_address.h"
#include "base/stack_end.h"
#include "unwind/architecture.h"
#include "unwind/module_lookup.h"
#include "unwind/unwind_cache.h"

namespace wick {

enum class FrameSource : uint8_t {
  kSampled,       // the sampled instruction itself
  kCfi,           // a return address, from call frame information
  kFramePointer,  // a return address without CFI: from the frame pointer or the top of the stack
  kCode,          // a return address without CFI: from the code, confirmed by the call before it
  kStub,          // a return address, from a known stub's code
  kSignalReturn,  // the stub that a signal handler returns to; exact, since it follows no call
  kInterrupted,   // where a signal interrupted the program; exact
};

struct UnwoundFrame {
  uint64_t address = 0;  // process address: the instruction itself, or a return address
  // The stack pointer of this frame. If two samples of a thread have the same address and stack
  // pointer in a frame, they most likely have the same callers.
  uint64_t sp = 0;
  FrameSource source = FrameSource::kSampled;

  bool is_return_address() const {
    return source != FrameSource::kSampled && source != FrameSource::kSignalReturn &&
           source != FrameSource::kInterrupted;
  }
  FrameAddress frame_address() const {
    return is_return_address() ? FrameAddress::returning_to(address) : FrameAddress::exact(address);
  }

  bool operator==(const UnwoundFrame&) const = default;
};

// Memory beyond the copy of the stack, if it is available.
class StackMemory {
 public:
  virtual ~StackMemory() = default;
  virtual bool read(uint64_t address, std::span<std::byte> out) = 0;
};

// Where the thread continues on another stack: the goroutine that Go's runtime has left
// (unwind/go_context.h).
struct LeftContext {
  uint64_t owner = 0;  // the goroutine; 0: there is none
  uint64_t pc = 0;
  uint64_t sp = 0;
  uint64_t fp = 0;
};

struct UnwindInput {
  UnwindArch arch = UnwindArch::kX86_64;
  UnwindRegisters registers;  // at least pc and sp
  Bytes stack;                // from sp upwards
  // True if the copy ends because it is full; false if the stack ends there.
  bool stack_goes_on = true;
  StackMemory* beyond = nullptr;
  std::optional<LeftContext> left;  // at the moment of the sample
  // Identifies this process with these mappings: rules cached for one number are never used for
  // another. Any change of the mappings needs a new number.
  uint32_t address_space = 0;
  uint32_t max_frames = UINT32_MAX;
};

// Appends the sampled frame and its callers, innermost first, to `frames`. Returns why it ended after
// the last of them.
StackEnd unwind_stack(const UnwindInput& input,
                      const ModuleLookup& modules,
                      UnwindCache& cache,
                      std::vector<UnwoundFrame>& frames);

}  // namespace wick

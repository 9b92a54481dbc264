// SPDX-License-Identifier: Apache-2.0
// Finds the callers of a thread from its registers and a copy of its stack.
//
// Each step answers one question: given pc, sp and fp of a frame, what were they in its caller? In
// this order:
//
//     1. CFI: the rule of the module's table at pc (unwind/table.h), which may also be one of a
//        known stub (PLT, signal return).
//     2. The frame pointer, if the module has no rule for pc: JIT code, hand-written assembly, a
//        file that is not available. Used only while it leads upwards inside of the stack.
//     3. For the sampled frame only, the word that a call would have left, if it points to code:
//        the top of the stack, AArch64's link register.
//
// The address of the instruction selects the rule. For the sampled frame, and for one that a signal
// interrupted, that is pc itself. For all others pc is a return address, the instruction after a
// call, which may belong to the next function if the call never returns; so the unwinder looks up
// the byte before it. The result contains addresses as found; use frame_address() of a frame to
// look up symbols.
//
// The stack is complete if CFI says that there is no caller (_start, the start of a thread), or if
// the return address is zero, or if the frame pointer is zero where code without CFI has saved it
// or CFI has a gap. Otherwise StackEnd says why the walk stopped after the last frame. The stack
// pointer must rise with each frame (the sampled one, and frames around a signal, may stay), so the
// size of the copy bounds the work.
//
// The unwinder allocates nothing per frame except in the vector that the caller passes and reuses.
// A rule that was used before costs one lookup in a small table (UnwindCache).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/frame_address.h"
#include "unwind/architecture.h"
#include "unwind/table.h"

namespace wick {

// A range of executable memory of a process.
struct MappedModule {
  uint64_t begin = 0;  // process addresses
  uint64_t end = 0;
  uint64_t bias = 0;                   // process address minus linked address
  const UnwindTable* table = nullptr;  // null: JIT code, or the file is not available
  // The kernel's vdso: its effect on the stack is known even without its bytes.
  bool is_vdso = false;
};

// The executable memory of one process at one time.
class ModuleLookup {
 public:
  virtual ~ModuleLookup() = default;
  // The range that contains a process address, or null. The pointer is used until the next call.
  virtual const MappedModule* find(uint64_t address) const = 0;
};

enum class FrameSource : uint8_t {
  kSampled,       // the sampled instruction itself
  kCfi,           // a return address, from call frame information
  kFramePointer,  // a return address without CFI: from the frame pointer or the top of the stack
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

// Why the walk ended after the last frame.
enum class StackEnd : uint8_t {
  kComplete,      // it is the outermost frame
  kCopyTooShort,  // truncated: its caller's part of the stack was not copied
  kOtherStack,    // truncated: its caller ran on another stack, which was not copied
  kTooDeep,       // truncated: more frames than UnwindInput::max_frames
  kNoModule,      // broken: the return address is not in any mapping; the rule or copy is wrong
  kNoUnwindInfo,  // broken: no rule for its code, and no frame pointer to follow
  kBadMemory,     // broken: the rule reads memory outside of the stack
  kNoProgress,    // broken: the rule does not lead up the stack
  kBadRule,       // broken: the rule needs an unknown register, or an expression failed
};

// Memory beyond the copy of the stack, if it is available.
class StackMemory {
 public:
  virtual ~StackMemory() = default;
  virtual bool read(uint64_t address, std::span<std::byte> out) = 0;
};

struct UnwindInput {
  UnwindArch arch = UnwindArch::kX86_64;
  UnwindRegisters registers;  // at least pc and sp
  Bytes stack;                // from sp upwards
  // True if the copy ends because it is full; false if the stack ends there.
  bool stack_goes_on = true;
  StackMemory* beyond = nullptr;
  // Identifies this process with these mappings: rules cached for one number are never used for
  // another. Any change of the mappings needs a new number.
  uint32_t address_space = 0;
  uint32_t max_frames = UINT32_MAX;
};

// Rules by address, direct-mapped; one cache for each thread that unwinds.
class UnwindCache {
 public:
  UnwindCache() : slots_(kSlots) {}

  // The cached rule for a process address, or null.
  const UnwindRule* find(uint64_t address, uint32_t address_space) const {
    const Slot& slot = slots_[slot_of(address)];
    return slot.address == address && slot.address_space == address_space ? &slot.rule : nullptr;
  }
  void remember(uint64_t address, uint32_t address_space, const UnwindRule& rule) {
    slots_[slot_of(address)] = {address, address_space, rule};
  }

 private:
  static constexpr size_t kSlots = 4096;
  struct Slot {
    uint64_t address = UINT64_MAX;
    uint32_t address_space = 0;
    UnwindRule rule;
  };
  static_assert(sizeof(Slot) == 32);

  // Neighbouring addresses get different slots; addresses that differ by a multiple of 4096 do not
  // collide.
  static size_t slot_of(uint64_t address) { return (address ^ (address >> 12)) % kSlots; }

  std::vector<Slot> slots_;
};

// Appends the sampled frame and its callers, innermost first, to `frames`.
StackEnd unwind_stack(const UnwindInput& input,
                      const ModuleLookup& modules,
                      UnwindCache& cache,
                      std::vector<UnwoundFrame>& frames);

}  // namespace wick

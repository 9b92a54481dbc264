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
// or the code is known to start a program, a thread or a fiber (unwind/stubs.h). Zeros prove nothing:
// code without frame pointers never writes that register, and a wrong rule also reads a zero as a
// return address. Otherwise StackEnd says why the walk stopped after the last frame. The stack
// pointer must rise with each frame (the sampled one, and frames around a signal, may stay), so the
// size of the copy bounds the work.
//
// Where there is CFI, the unwinder allocates nothing except in the vector that the caller passes.
// A rule that was used before costs one lookup in a small table (UnwindCache).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/frame_address.h"
#include "unwind/architecture.h"
#include "unwind/bare_code.h"
#include "unwind/module_lookup.h"
#include "unwind/table.h"

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

// Why the walk ended after the last frame.
enum class StackEnd : uint8_t {
  kComplete,      // it is the outermost frame
  kCopyTooShort,  // truncated: its caller's part of the stack was not copied
  kOtherStack,    // truncated: its caller ran on another stack, which was not copied
  kSwitched,      // truncated: the runtime has switched stacks here, and the other one is unknown
  kTooDeep,       // truncated: more frames than UnwindInput::max_frames
  kZeroReturn,    // broken: the return address is zero, but its code is not known to start anything
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

// Rules by address, and calls of code without CFI; direct-mapped. One cache for each thread that
// unwinds.
class UnwindCache {
 public:
  UnwindCache() : slots_(kSlots), calls_(kSlots) {}

  // The cached rule for a process address, or null.
  const UnwindRule* find(uint64_t address, uint32_t address_space) const {
    const Slot& slot = slots_[slot_of(address)];
    return slot.address == address && slot.address_space == address_space ? &slot.rule : nullptr;
  }
  void remember(uint64_t address, uint32_t address_space, const UnwindRule& rule) {
    slots_[slot_of(address)] = {address, address_space, rule};
  }

  // The number of instructions that the search for callers of code without CFI may still follow.
  // Each stack adds some, so damaged or hostile files cannot make it slow.
  uint64_t& code_budget() { return code_budget_; }
  void add_code_budget() {
    code_budget_ = std::min(code_budget_ + kCodeBudgetOfStack, kMostCodeBudget);
  }

  // Whether the function at `callee` was called from a return address, or none if it is not cached.
  std::optional<CallEvidence> find_call(uint64_t return_address,
                                        uint64_t callee,
                                        uint32_t address_space) const {
    const Call& call = calls_[slot_of(return_address ^ callee << 1U)];
    bool is_same = call.return_address == return_address && call.callee == callee &&
                   call.address_space == address_space;
    return is_same ? std::optional(call.evidence) : std::nullopt;
  }
  void remember_call(uint64_t return_address,
                     uint64_t callee,
                     uint32_t address_space,
                     CallEvidence evidence) {
    calls_[slot_of(return_address ^ callee << 1U)] = {
        return_address, callee, address_space, evidence};
  }

 private:
  static constexpr size_t kSlots = 4096;
  static constexpr uint64_t kCodeBudgetOfStack = 8192;   // 0.2 ms
  static constexpr uint64_t kMostCodeBudget = 20000000;  // 0.5 s
  struct Slot {
    uint64_t address = UINT64_MAX;
    uint32_t address_space = 0;
    UnwindRule rule;
  };
  static_assert(sizeof(Slot) == 32);
  struct Call {
    uint64_t return_address = UINT64_MAX;
    uint64_t callee = 0;
    uint32_t address_space = 0;
    CallEvidence evidence = CallEvidence::kImpossible;
  };

  // Neighbouring addresses get different slots; addresses that differ by a multiple of 4096 do not
  // collide.
  static size_t slot_of(uint64_t address) { return (address ^ (address >> 12)) % kSlots; }

  std::vector<Slot> slots_;
  std::vector<Call> calls_;
  uint64_t code_budget_ = kMostCodeBudget;
};

// Appends the sampled frame and its callers, innermost first, to `frames`.
StackEnd unwind_stack(const UnwindInput& input,
                      const ModuleLookup& modules,
                      UnwindCache& cache,
                      std::vector<UnwoundFrame>& frames);

}  // namespace wick

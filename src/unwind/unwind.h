// From the registers of a thread and a copy of its stack to the addresses of its callers.
//
// Each step answers one question: given pc, sp and fp of a frame, what were they in its caller? In
// this order:
//
//     1. CFI: the rule of the module's table at pc (unwind/table.h), which may also be one of a
//        known stub (PLT, signal return).
//     2. The frame pointer, when the module has no rule for pc: JIT code, hand-written assembly, a
//        file that is not here. Believed only while it leads upwards inside of the stack.
//     3. For the sampled frame only, what a call leaves behind when that points to code: the top of
//        the stack, AArch64's link register.
//
// Where an address lies decides the rule. For the sampled frame, and for one that a signal
// interrupted, that is pc itself. For every other one pc is a return address, the instruction after
// a call, which may belong to the next function when the call never returns; so the byte before it
// is looked up. Addresses are handed out as found; frame_address() of a frame is the one to ask
// symbols for.
//
// The stack ends well when CFI says that there is no caller (_start, the start of a thread), or
// when the return address is zero, or the frame pointer where code without CFI has saved it or CFI
// has a gap. Else StackEnd tells why it could not be followed, and the last frame is where. The
// stack pointer must rise with each frame (the sampled one, and frames around a signal, may stay),
// so the bytes copied bound the work.
//
// Nothing is allocated per frame beyond the vector that the caller gives and reuses, and a rule
// that was used before costs one look into a small table (UnwindCache).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/frame_address.h"
#include "unwind/architecture.h"
#include "unwind/table.h"

namespace wick {

// A piece of executable memory of a process.
struct MappedModule {
  uint64_t begin = 0;  // process addresses
  uint64_t end = 0;
  uint64_t bias = 0;                   // process address minus linked address
  const UnwindTable* table = nullptr;  // null: JIT code, or the file is not here
  // The kernel's vdso: even without its bytes it is known what it does with the stack.
  bool is_vdso = false;
};

// The executable memory of one process at one time.
class ModuleLookup {
 public:
  virtual ~ModuleLookup() = default;
  // The piece that holds a process address, or null. The pointer is used until the next call.
  virtual const MappedModule* find(uint64_t address) const = 0;
};

enum class FrameSource : uint8_t {
  kSampled,       // the sampled instruction itself
  kCfi,           // a return address, by call frame information
  kFramePointer,  // a return address, without CFI: by the frame pointer, or on top of the stack
  kStub,          // a return address, by knowing a stub's code
  kSignalReturn,  // the stub to which a signal handler returns; not behind a call, so exact
  kInterrupted,   // where a signal interrupted the program; exact
};

struct UnwoundFrame {
  uint64_t address = 0;  // process address: the instruction itself, or a return address
  // The stack pointer in this frame. Two samples of a thread that agree in address and stack
  // pointer of a frame most likely agree in all its callers.
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
  kComplete,      // it is the outermost one
  kCopyTooShort,  // truncated: its caller's part of the stack was not copied
  kOtherStack,    // truncated: its caller ran on another stack, of which there is no copy
  kTooDeep,       // truncated: more frames than UnwindInput::max_frames
  kNoModule,      // broken: the return address is in no mapping; the rule or the copy is wrong
  kNoUnwindInfo,  // broken: no rule for its code, and no frame pointer to follow
  kBadMemory,     // broken: the rule reads memory that is no part of the stack
  kNoProgress,    // broken: the rule does not lead up the stack
  kBadRule,       // broken: the rule needs a register that is not known, or an expression failed
};

// Memory beyond the copy of the stack, where that can be had.
class StackMemory {
 public:
  virtual ~StackMemory() = default;
  virtual bool read(uint64_t address, std::span<std::byte> out) = 0;
};

struct UnwindInput {
  UnwindArch arch = UnwindArch::kX86_64;
  UnwindRegisters registers;  // at least pc and sp
  Bytes stack;                // from sp upwards
  // The copy ends because it reached its size, not because the stack ended there.
  bool stack_goes_on = true;
  StackMemory* beyond = nullptr;
  // Names this process with these mappings: rules remembered under one number are never used under
  // another. Any change of the mappings needs a new number.
  uint32_t address_space = 0;
  uint32_t max_frames = UINT32_MAX;
};

// Rules by address, direct-mapped; one for each thread that unwinds.
class UnwindCache {
 public:
  UnwindCache() : slots_(kSlots) {}

  // The rule that was remembered for a process address, or null.
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

  // Neighbouring addresses get different slots; code that is a multiple of 4096 apart does not
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

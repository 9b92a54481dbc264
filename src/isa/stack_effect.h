// SPDX-License-Identifier: Apache-2.0
// What an x86 instruction does to the stack pointer, and to a register from which code later
// restores the stack pointer.
//
// A function must return with the stack pointer that it was called with. A reader that adds up the
// effects from an instruction to the next `ret` knows where the return address is, without unwind
// tables. Compilers and people need few instructions for it:
//
//     push, pop, add, sub, lea, leave        change the stack pointer by a number
//     mov %rsp,%rbp   lea 8(%rsp),%r10       store it in a register
//     mov %rbp,%rsp   mov 64(%rsp),%rsp      restore it
//
// Other instructions of the one-byte opcodes that write a register lose its value. Those of other
// opcode maps write vector registers, or registers that no code restores the stack pointer from;
// they have no effect here.
#pragma once

#include <cstdint>
#include <optional>

#include "isa/instruction.h"

namespace wick::isa {

inline constexpr uint8_t kStackPointer = 4;  // rsp, esp: register numbers of the encoding
inline constexpr uint8_t kFramePointer = 5;  // rbp, ebp

struct StackEffect {
  enum class Kind : uint8_t {
    kNone,
    kPush,   // the stack pointer moves down by a word
    kPop,    // `target` = word at the stack pointer, which moves up by a word
    kDrop,   // the stack pointer moves up by a word
    kAdd,    // `target` += number
    kCopy,   // `target` = source + number
    kLoad,   // `target` = word at source + number
    kLeave,  // the stack pointer = the frame pointer; pop the frame pointer
    kLost,   // `target` gets a value that this file does not know
  };
  Kind kind = Kind::kNone;
  uint8_t target = 0;
  uint8_t source = 0;
  int32_t number = 0;

  bool operator==(const StackEffect&) const = default;
};

// `code` starts with a decoded instruction of x86, and contains all of it.
StackEffect stack_effect(InstructionSet set, Bytes code);

// The operands of mov, cmp and lea between a register and memory at a register plus a number.
struct MemoryOperand {
  enum class Kind : uint8_t { kLoad, kStore, kCompare, kAddress };
  Kind kind = Kind::kLoad;
  uint8_t reg = 0;
  uint8_t base = 0;
  int32_t number = 0;

  bool operator==(const MemoryOperand&) const = default;
};
// None for other instructions and other operands. `code` is as for stack_effect().
std::optional<MemoryOperand> memory_operand(InstructionSet set, Bytes code);

// The number of bytes that `ret` removes above the return address.
uint16_t bytes_dropped_by_return(Bytes code);

}  // namespace wick::isa

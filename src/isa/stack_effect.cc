// SPDX-License-Identifier: Apache-2.0
// Decodes one instruction: its prefixes and operands first (Operands), then its effect by opcode.
// Unknown opcodes that write a register make it lost, never unchanged: a wrong stack pointer is
// worse than none.
#include "isa/stack_effect.h"

#include <array>
#include <cstring>
#include <optional>

namespace wick::isa {
namespace {

using Kind = StackEffect::Kind;

// Prefixes, opcode and operands, as far as the instructions of this file need them.
class Operands {
 public:
  Operands(InstructionSet set, Bytes code) : is_64_(set == InstructionSet::kX86_64), code_(code) {
    // REX counts only directly before the opcode.
    for (;; ++at_) {
      bool is_rex = is_64_ && (byte(at_) & 0xF0U) == 0x40;
      if (!is_rex && !is_prefix(byte(at_))) {
        break;
      }
      rex_ = is_rex ? byte(at_) : uint8_t{0};
    }
    opcode_ = byte(at_++);
  }

  uint8_t opcode() const { return opcode_; }
  // Registers of 16 bits, or of 32 bits in 64-bit code, never hold a stack pointer.
  bool is_narrow() const {
    bool is_wide = (rex_ & 8U) != 0;
    return is_64_ ? !is_wide : operand_prefix_;
  }
  // Pushes and pops have the size of a word without REX.W.
  bool is_short_push() const { return operand_prefix_; }

  uint8_t opcode_register() const { return extended(opcode_ & 7U, 1); }
  uint8_t reg() const { return extended(modrm() >> 3U & 7U, 4); }
  uint8_t member() const { return modrm() >> 3U & 7U; }
  bool is_register() const { return modrm() >= 0xC0; }
  uint8_t rm_register() const { return extended(modrm() & 7U, 1); }

  // Memory at a register plus a number.
  struct Memory {
    uint8_t base = 0;
    int32_t number = 0;
  };
  std::optional<Memory> memory() const {
    uint8_t mode = modrm() >> 6U;
    uint8_t base = modrm() & 7U;
    size_t at = at_ + 1;
    if (base == 4) {
      uint8_t sib = byte(at++);
      bool has_index = (sib >> 3U & 7U) != 4 || (rex_ & 2U) != 0;
      if (has_index) {
        return {};
      }
      base = sib & 7U;
    }
    bool is_absolute = mode == 0 && base == 5;
    if (mode == 3 || is_absolute || segment_) {
      return {};
    }
    return Memory{extended(base, 1), mode == 0 ? 0 : mode == 1 ? number8(at) : number32(at)};
  }
  // The immediate after an operand that is a register.
  int32_t immediate(bool is_byte) const { return is_byte ? number8(at_ + 1) : number32(at_ + 1); }

 private:
  bool is_prefix(uint8_t byte) {
    operand_prefix_ |= byte == 0x66;
    segment_ |= byte == 0x64 || byte == 0x65;
    return byte == 0x66 || byte == 0x67 || byte == 0x64 || byte == 0x65 || byte == 0x2E ||
           byte == 0x36 || byte == 0x3E || byte == 0x26 || byte == 0xF0 || byte == 0xF2 ||
           byte == 0xF3;
  }
  uint8_t byte(size_t at) const {
    return at < code_.size() ? std::to_integer<uint8_t>(code_[at]) : uint8_t{0};
  }
  uint8_t modrm() const { return byte(at_); }
  uint8_t extended(unsigned number, unsigned rex_bit) const {
    return static_cast<uint8_t>(number + ((rex_ & rex_bit) != 0 ? 8U : 0U));
  }
  int32_t number8(size_t at) const { return static_cast<int8_t>(byte(at)); }
  int32_t number32(size_t at) const {
    int32_t number = 0;
    if (at + sizeof number <= code_.size()) {
      std::memcpy(&number, code_.data() + at, sizeof number);
    }
    return number;
  }

  bool is_64_;
  Bytes code_;
  size_t at_ = 0;  // after the opcode
  uint8_t rex_ = 0;
  uint8_t opcode_ = 0;
  bool operand_prefix_ = false;
  bool segment_ = false;
};

StackEffect lost(uint8_t target) {
  return {Kind::kLost, target};
}

// An assignment. A narrow one does not move a whole pointer.
StackEffect assigned(
    const Operands& operands, uint8_t target, Kind kind, uint8_t source, int32_t number) {
  if (operands.is_narrow()) {
    return lost(target);
  }
  return {kind, target, source, number};
}

// mov and lea between registers and memory.
StackEffect moved(const Operands& operands) {
  constexpr uint8_t kStore = 0x89;
  constexpr uint8_t kLea = 0x8D;
  if (operands.opcode() == kStore) {
    return operands.is_register()
               ? assigned(operands, operands.rm_register(), Kind::kCopy, operands.reg(), 0)
               : StackEffect{};
  }
  if (operands.is_register()) {
    return assigned(operands, operands.reg(), Kind::kCopy, operands.rm_register(), 0);
  }
  auto memory = operands.memory();
  if (!memory) {
    return lost(operands.reg());
  }
  Kind kind = operands.opcode() == kLea ? Kind::kCopy : Kind::kLoad;
  return assigned(operands, operands.reg(), kind, memory->base, memory->number);
}

// 81 and 83: add, or, adc, sbb, and, sub, xor, cmp with a number.
StackEffect calculated(const Operands& operands) {
  constexpr uint8_t kAdd = 0;
  constexpr uint8_t kSub = 5;
  constexpr uint8_t kCompare = 7;
  if (!operands.is_register() || operands.member() == kCompare) {
    return {};
  }
  int32_t number = operands.immediate(operands.opcode() == 0x83);
  bool is_sum = operands.member() == kAdd || (operands.member() == kSub && number != INT32_MIN);
  if (!is_sum || operands.is_narrow()) {
    return lost(operands.rm_register());
  }
  return {Kind::kAdd, operands.rm_register(), 0, operands.member() == kAdd ? number : -number};
}

// The arithmetic opcodes below 40: op r/m,r; op r,r/m; op accumulator, number.
StackEffect arithmetic(const Operands& operands) {
  constexpr uint8_t kCompare = 0x38;
  if (operands.opcode() >= kCompare) {
    return {};
  }
  switch (operands.opcode() & 7U) {
    case 1:
      return operands.is_register() ? lost(operands.rm_register()) : StackEffect{};
    case 3:
      return lost(operands.reg());
    default:
      return {};
  }
}

// 32-bit inc and dec; mov of a number to a register.
StackEffect short_form(const Operands& operands) {
  uint8_t opcode = operands.opcode();
  bool is_count = opcode >= 0x40 && opcode < 0x50;
  bool is_number = opcode >= 0xB8 && opcode < 0xC0;
  return is_count || is_number ? lost(operands.opcode_register()) : StackEffect{};
}

StackEffect one_byte_effect(const Operands& operands) {
  uint8_t opcode = operands.opcode();
  if (opcode >= 0x50 && opcode < 0x60) {
    bool is_pop = opcode >= 0x58;
    return operands.is_short_push() ? lost(kStackPointer)
           : is_pop                 ? StackEffect{Kind::kPop, operands.opcode_register()}
                                    : StackEffect{Kind::kPush};
  }
  switch (opcode) {
    case 0x68:  // push number
    case 0x6A:
    case 0x9C:  // pushf
      return operands.is_short_push() ? lost(kStackPointer) : StackEffect{Kind::kPush};
    case 0x8F:  // pop to memory; else XOP
      if (operands.member() != 0) {
        return {};
      }
      [[fallthrough]];
    case 0x9D:  // popf
      return operands.is_short_push() ? lost(kStackPointer) : StackEffect{Kind::kDrop};
    case 0xFF:  // inc, dec, push of memory
      if (operands.member() == 6) {
        return operands.is_short_push() ? lost(kStackPointer) : StackEffect{Kind::kPush};
      }
      return operands.member() < 2 && operands.is_register() ? lost(operands.rm_register())
                                                             : StackEffect{};
    case 0x94:  // xchg %eax,%esp
      return lost(operands.opcode_register());
    case 0xC7:  // mov number
    case 0xC1:  // shifts
    case 0xD1:
    case 0xD3:
    case 0xF7:  // not, neg
      return operands.is_register() ? lost(operands.rm_register()) : StackEffect{};
    case 0x63:  // movslq
    case 0x69:  // imul
    case 0x6B:
      return lost(operands.reg());
    case 0xC9:
      return {Kind::kLeave};
    case 0xC8:  // enter
    case 0x60:  // pusha
    case 0x61:  // popa
      return lost(kStackPointer);
    case 0x81:
    case 0x83:
      return calculated(operands);
    case 0x87:  // xchg
      // Both change; only one can be the stack pointer.
      return operands.is_register() && operands.rm_register() == kStackPointer
                 ? lost(kStackPointer)
                 : lost(operands.reg());
    case 0x89:
    case 0x8B:
    case 0x8D:
      return moved(operands);
    default:
      return opcode < 0x40 ? arithmetic(operands) : short_form(operands);
  }
}

}  // namespace

StackEffect stack_effect(InstructionSet set, Bytes code) {
  Operands operands(set, code);
  // Opcodes of other maps write vector registers, or registers that no code keeps a stack pointer
  // in.
  constexpr std::array<uint8_t, 4> kOtherMaps = {0x0F, 0xC4, 0xC5, 0x62};
  for (uint8_t map : kOtherMaps) {
    if (operands.opcode() == map) {
      return {};
    }
  }
  return one_byte_effect(operands);
}

std::optional<MemoryOperand> memory_operand(InstructionSet set, Bytes code) {
  using Form = MemoryOperand::Kind;
  Operands operands(set, code);
  auto memory = operands.memory();
  if (!memory || operands.is_narrow()) {
    return {};
  }
  auto with = [&](Form kind) {
    return MemoryOperand{kind, operands.reg(), memory->base, memory->number};
  };
  switch (operands.opcode()) {
    case 0x8B:
      return with(Form::kLoad);
    case 0x89:
      return with(Form::kStore);
    case 0x39:
    case 0x3B:
      return with(Form::kCompare);
    case 0x8D:
      return with(Form::kAddress);
    default:
      return {};
  }
}

uint16_t bytes_dropped_by_return(Bytes code) {
  constexpr size_t kWithNumber = 3;
  uint16_t dropped = 0;
  if (code.size() >= kWithNumber && std::to_integer<uint8_t>(code[0]) == 0xC2) {
    std::memcpy(&dropped, code.data() + 1, sizeof dropped);
  }
  return dropped;
}

}  // namespace wick::isa

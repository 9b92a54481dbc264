// SPDX-License-Identifier: Apache-2.0
// FrameProgram: runs the call frame instructions of a function and returns its rows.
//
// An instruction is one byte. If its top two bits are not 00, they are the instruction and the
// other six an operand (advance, offset, restore); otherwise operands follow. The switch below has
// all other instructions and their effects. A row is complete when the location advances. So the
// sink gets (address, row) whenever the location advances and a tracked value has changed, and once
// more at the end: addresses ascend strictly, and a row is valid up to the next one.
//
//     sink(uint64_t address, const CfiRow& row)
//
// An invalid program (an unknown instruction, an operand beyond the end, a location that moves
// back, too many remembered states) stops there: run() returns that address, so that the caller can
// mark the rest of the function as unknown. A location beyond the function only ends the program.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "elf/cfi.h"
#include "elf/dwarf_cursor.h"

namespace wick {

class FrameProgram {
 public:
  static constexpr DwarfRegister kNoRegister = UINT16_MAX;

  // The registers to track, besides the CFA and each CIE's return address column.
  FrameProgram(const CfiSection& section, DwarfRegister frame_pointer, DwarfRegister extra)
      : section_(section), frame_pointer_(frame_pointer), extra_(extra) {}

  // Computes the first row of all functions of a CIE; false if its instructions are invalid.
  bool start(const Cie& cie, CfiRow& row) {
    cie_ = &cie;
    row_ = {};
    initial_ = {};
    remembered_ = 0;
    begin_ = location_ = 0;
    end_ = UINT64_MAX;
    bool ok = execute(cie.instructions, [](uint64_t, const CfiRow&) {});
    row = row_;
    return ok;
  }

  // Returns the end of the function, or the address from which on nothing is known.
  template <typename Sink>
  uint64_t run(const Cie& cie, const CfiRow& initial, const Fde& fde, Sink&& sink) {
    cie_ = &cie;
    row_ = initial_ = initial;
    remembered_ = 0;
    begin_ = location_ = fde.begin;
    end_ = fde.end;
    changed_ = true;
    if (!execute(fde.instructions, sink)) {
      return location_;
    }
    if (changed_ && location_ < end_) {
      sink(location_, std::as_const(row_));
    }
    return fde.end;
  }

 private:
  // DW_CFA_*
  enum Instruction : uint8_t {
    kNop = 0x00,
    kSetLoc = 0x01,
    kAdvanceLoc1 = 0x02,
    kAdvanceLoc2 = 0x03,
    kAdvanceLoc4 = 0x04,
    kOffsetExtended = 0x05,
    kRestoreExtended = 0x06,
    kUndefined = 0x07,
    kSameValue = 0x08,
    kRegister = 0x09,
    kRememberState = 0x0A,
    kRestoreState = 0x0B,
    kDefCfa = 0x0C,
    kDefCfaRegister = 0x0D,
    kDefCfaOffset = 0x0E,
    kDefCfaExpression = 0x0F,
    kExpression = 0x10,
    kOffsetExtendedSf = 0x11,
    kDefCfaSf = 0x12,
    kDefCfaOffsetSf = 0x13,
    kValOffset = 0x14,
    kValOffsetSf = 0x15,
    kValExpression = 0x16,
    kMipsAdvanceLoc8 = 0x1D,
    kAarch64NegateRaStateWithPc = 0x2C,
    kAarch64NegateRaState = 0x2D,  // SPARC's window_save, which has no operands either
    kGnuArgsSize = 0x2E,
    kGnuNegativeOffsetExtended = 0x2F,
    kAdvanceLoc = 0x40,
    kOffset = 0x80,
    kRestore = 0xC0,
  };
  static constexpr uint8_t kOperandMask = 0x3F;
  static constexpr size_t kMaxRemembered = 32;  // compilers nest two or three

  template <typename Sink>
  bool execute(Bytes instructions, Sink&& sink) {
    DwarfCursor cursor(instructions);
    while (!cursor.at_end()) {
      auto byte = cursor.number<uint8_t>();
      uint8_t operand = byte & kOperandMask;
      bool ok = true;
      switch (byte & ~kOperandMask) {
        case kAdvanceLoc:
          ok = advance(operand, sink);
          break;
        case kOffset:
          set_at_cfa(operand, factored(cursor.uleb()));
          break;
        case kRestore:
          restore(operand);
          break;
        default:
          ok = execute_extended(byte, cursor, sink);
          break;
      }
      if (!ok || !cursor.ok()) [[unlikely]] {
        return false;
      }
    }
    return true;
  }

  template <typename Sink>
  bool execute_extended(uint8_t instruction, DwarfCursor& cursor, Sink& sink) {
    switch (instruction) {
      case kNop:
      case kAarch64NegateRaState:        // wick strips authentication codes from every return
      case kAarch64NegateRaStateWithPc:  // address, signed or not, so this has no effect
        return true;
      case kSetLoc:
        return set_location(cursor, sink);
      case kAdvanceLoc1:
        return advance(cursor.number<uint8_t>(), sink);
      case kAdvanceLoc2:
        return advance(cursor.number<uint16_t>(), sink);
      case kAdvanceLoc4:
        return advance(cursor.number<uint32_t>(), sink);
      case kMipsAdvanceLoc8:
        return advance(cursor.number<uint64_t>(), sink);
      case kRememberState:
        return remember_state();
      case kRestoreState:
        return restore_state();
      case kGnuArgsSize:
        cursor.uleb();
        return true;
      case kDefCfa:
      case kDefCfaSf:
      case kDefCfaRegister:
      case kDefCfaOffset:
      case kDefCfaOffsetSf:
      case kDefCfaExpression:
        define_cfa(instruction, cursor);
        return true;
      default:
        return set_register(instruction, cursor);
    }
  }

  void define_cfa(uint8_t instruction, DwarfCursor& cursor) {
    CfaRule& cfa = row_.cfa;
    changed_ = true;
    if (instruction == kDefCfaExpression) {
      cfa = {.kind = CfaRule::Kind::kExpression, .expression = cursor.take(cursor.uleb())};
      return;
    }
    cfa.kind = CfaRule::Kind::kRegister;
    if (instruction == kDefCfa || instruction == kDefCfaSf || instruction == kDefCfaRegister) {
      cfa.base = register_number(cursor.uleb());
    }
    if (instruction == kDefCfa || instruction == kDefCfaOffset) {
      cfa.offset = static_cast<int64_t>(cursor.uleb());
    } else if (instruction != kDefCfaRegister) {
      cfa.offset = factored(cursor.sleb());
    }
  }

  bool set_register(uint8_t instruction, DwarfCursor& cursor) {
    using Kind = RegisterRule::Kind;
    uint64_t number = cursor.uleb();
    switch (instruction) {
      case kOffsetExtended:
        set_at_cfa(number, factored(cursor.uleb()));
        return true;
      case kOffsetExtendedSf:
        set_at_cfa(number, factored(cursor.sleb()));
        return true;
      case kGnuNegativeOffsetExtended:
        set_at_cfa(number, factored(0 - cursor.uleb()));
        return true;
      case kRestoreExtended:
        restore(number);
        return true;
      case kUndefined:
        set(number, {.kind = Kind::kUndefined});
        return true;
      case kSameValue:
        set(number, {.kind = Kind::kSame});
        return true;
      case kRegister:
        set(number, {.kind = Kind::kRegister, .offset = register_number(cursor.uleb())});
        return true;
      case kValOffset:
        set(number, {.kind = Kind::kCfaPlus, .offset = factored(cursor.uleb())});
        return true;
      case kValOffsetSf:
        set(number, {.kind = Kind::kCfaPlus, .offset = factored(cursor.sleb())});
        return true;
      case kExpression:
        set(number, {.kind = Kind::kAtExpression, .expression = cursor.take(cursor.uleb())});
        return true;
      case kValExpression:
        set(number, {.kind = Kind::kExpression, .expression = cursor.take(cursor.uleb())});
        return true;
      default:
        return false;
    }
  }

  static DwarfRegister register_number(uint64_t number) {
    return number < kNoRegister ? static_cast<DwarfRegister>(number) : kNoRegister;
  }
  // Offsets are multiples of the CIE's factor. They wrap, so hostile numbers cannot overflow.
  int64_t factored(uint64_t value) const {
    return static_cast<int64_t>(value * static_cast<uint64_t>(cie_->data_factor));
  }
  int64_t factored(int64_t value) const { return factored(static_cast<uint64_t>(value)); }

  RegisterRule* rule_of(CfiRow& row, uint64_t number) const {
    if (number == cie_->return_column) {
      return &row.return_address;
    }
    if (number == frame_pointer_) {
      return &row.frame_pointer;
    }
    return number == extra_ ? &row.extra : nullptr;
  }
  void set(uint64_t number, const RegisterRule& rule) {
    if (RegisterRule* slot = rule_of(row_, number)) {
      *slot = rule;
      changed_ = true;
    }
  }
  void set_at_cfa(uint64_t number, int64_t offset) {
    set(number, {.kind = RegisterRule::Kind::kAtCfa, .offset = offset});
  }
  void restore(uint64_t number) {
    if (const RegisterRule* slot = rule_of(initial_, number)) {
      set(number, *slot);
    }
  }

  bool remember_state() {
    if (remembered_ == kMaxRemembered) {
      return false;
    }
    states_[remembered_++] = row_;
    return true;
  }
  bool restore_state() {
    if (remembered_ == 0) {
      return false;
    }
    row_ = states_[--remembered_];
    changed_ = true;
    return true;
  }

  template <typename Sink>
  bool advance(uint64_t steps, Sink& sink) {
    return move_to(location_ + steps * cie_->code_factor, sink);
  }
  template <typename Sink>
  bool set_location(DwarfCursor& cursor, Sink& sink) {
    uint64_t at = section_.address;
    at += static_cast<uint64_t>(cursor.here() - section_.bytes.data()) - cursor.offset();
    EhPointerBases bases{.section = at,
                         .text = section_.text_address,
                         .data = section_.data_address,
                         .function = begin_,
                         .address_size = cie_->address_size};
    return move_to(read_eh_pointer(cursor, cie_->address_encoding, bases), sink);
  }
  template <typename Sink>
  bool move_to(uint64_t location, Sink& sink) {
    if (location < location_) [[unlikely]] {
      return false;
    }
    if (changed_ && location != location_ && location_ < end_) {
      sink(location_, std::as_const(row_));
      changed_ = false;
    }
    location_ = location < end_ ? location : end_;
    return location <= end_;
  }

  const CfiSection& section_;
  DwarfRegister frame_pointer_;
  DwarfRegister extra_;
  const Cie* cie_ = nullptr;
  CfiRow row_;
  CfiRow initial_;
  bool changed_ = false;
  uint64_t begin_ = 0;
  uint64_t location_ = 0;
  uint64_t end_ = 0;
  size_t remembered_ = 0;
  std::array<CfiRow, kMaxRemembered> states_;
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// How an x86 instruction is decoded: prefixes, opcode, ModRM operand, immediate, in this order.
//
//     read_prefixes()   collects legacy prefixes and REX
//     read_opcode()     finds the row of the opcode map (x86_opcodes.h)
//     read_rest()       adds the sizes of operand and immediate, for most opcodes
//     read_special()    opcodes that lead to another map (VEX, EVEX, XOP, 0F 38, 0F 3A), and
//                       groups in which ModRM selects the instruction
//     set_destination() computes the target of a branch, or the slot of an indirect one
//
// The decoder reads from a window of kWindow bytes, padded with zeros if the code is shorter, so it
// needs no check for each byte. Invariant: at_ counts every byte that the decision depends on, also
// for invalid bytes. If at_ exceeds the available bytes, the result is kTooShort; otherwise the
// padding had no effect.
#include "isa/x86.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "isa/x86_opcodes.h"

namespace wick::isa {
namespace x86 {
namespace {

constexpr size_t kLongest = 15;
// The decoder reads at most this far, whatever the bytes are: 15 prefixes, and the longest rest.
constexpr size_t kWindow = 40;

// The size of an operand including its ModRM byte, with 32-bit or 64-bit addresses. A SIB byte may
// add a displacement.
constexpr std::array<uint8_t, 256> kOperandBytes = [] {
  std::array<uint8_t, 256> table = {};
  for (size_t modrm = 0; modrm < table.size(); ++modrm) {
    size_t mode = modrm >> 6U;
    size_t base = modrm & 7U;
    bool is_absolute = mode == 0 && base == 5;
    size_t displacement = mode == 1 ? 1 : mode == 2 || is_absolute ? 4 : 0;
    bool has_sib = mode != 3 && base == 4;
    table[modrm] = static_cast<uint8_t>(1 + displacement + (has_sib ? 1 : 0));
  }
  return table;
}();

// The size of the ModRM byte and the rest of its operand.
size_t operand_bytes_at(const uint8_t* operand) {
  constexpr uint8_t kHasSib = 4;
  // If the SIB byte has no base, a displacement replaces it.
  bool has_sib = (operand[0] & 0xC7U) == kHasSib;
  bool is_base_absent = (operand[1] & 7U) == 5;
  return kOperandBytes[operand[0]] + (has_sib && is_base_absent ? 4U : 0U);
}
// The same with 16-bit addresses.
size_t operand_bytes_16(uint8_t modrm) {
  uint8_t mode = modrm >> 6U;
  bool has_word = mode == 2 || (mode == 0 && (modrm & 7U) == 6);
  return mode == 1 ? 2 : has_word ? 3 : 1;
}

template <typename T>
uint64_t load(const uint8_t* at) {
  T value = 0;
  std::memcpy(&value, at, sizeof value);
  return static_cast<uint64_t>(int64_t{value});
}
// The signed number of `size` bytes before `end`.
uint64_t distance_before(const uint8_t* end, size_t size) {
  switch (size) {
    case 1:
      return load<int8_t>(end - 1);
    case 2:
      return load<int16_t>(end - 2);
    default:
      return load<int32_t>(end - 4);
  }
}

constexpr uint8_t group_member(uint8_t modrm) {
  return modrm >> 3U & 7U;
}
constexpr bool is_register(uint8_t modrm) {
  return modrm >= 0xC0;
}

// Decodes from a window of kWindow bytes. `at_` counts the bytes that the decision depends on, also
// if they are not an instruction.
template <bool kIs64>
class Decoder {
 public:
  explicit Decoder(const uint8_t* window) : window_(window) {}

  Instruction run(size_t available, uint64_t address) {
    bool valid = read_prefixes() && read_opcode();
    if (at_ > available && available < kLongest) {
      return {.outcome = Outcome::kTooShort};
    }
    if (!valid || at_ > kLongest) {
      return {};
    }
    Instruction found{
        .outcome = Outcome::kDecoded, .kind = kind_, .length = static_cast<uint8_t>(at_)};
    if (kind_ != Kind::kOther) {
      set_destination(found, address);
    }
    return found;
  }

 private:
  uint8_t next() { return window_[at_++]; }

  bool read_prefixes() {
    while ((kMaps<kIs64>[window_[at_]].traits & kPrefix) != 0) {
      note_prefix(next());
      if (at_ == kLongest) {
        return false;
      }
    }
    return true;
  }
  void note_prefix(uint8_t prefix) {
    if (kIs64 && (prefix & 0xF0U) == 0x40) {
      rex_ = prefix;
      return;
    }
    rex_ = 0;  // valid only directly before the opcode
    switch (prefix) {
      case 0x66:
        operand_prefix_ = true;
        break;
      case 0x67:
        address_prefix_ = true;
        break;
      case 0xF0:
        lock_ = true;
        break;
      case 0xF2:
      case 0xF3:
        repeat_ = prefix;
        break;
      case 0x64:
      case 0x65:
        segment_ = true;
        break;
      default:  // segments that start at zero; 64-bit code ignores their prefixes
        segment_ = segment_ && kIs64;
    }
  }

  bool read_opcode() {
    bool is_two_byte = window_[at_] == 0x0F;
    at_ += is_two_byte ? 1U : 0U;
    uint8_t opcode = next();
    const Row& row = kMaps<kIs64>[opcode + (is_two_byte ? kTwoByte : 0U)];
    if ((row.traits & kInvalid) != 0) {
      return false;
    }
    if ((row.traits & kSpecial) == 0) {
      return read_rest(row);
    }
    return is_two_byte ? read_special_two_byte(row, opcode) : read_special(row, opcode);
  }

  bool read_special(const Row& row, uint8_t opcode) {
    switch (opcode) {
      case 0x62:
        return is_vector() ? read_vector(vector_map(7), 2) : read_rest({.traits = kModRm});
      case 0xC4:
        return is_vector() ? read_vector(vector_map(0x1F), 1) : read_rest({.traits = kModRm});
      case 0xC5:
        return is_vector() ? read_vector(1, 1) : read_rest({.traits = kModRm});
      case 0x8F:
        return read_8f();
      case 0xA0:
      case 0xA1:
      case 0xA2:
      case 0xA3:
        return read_rest(row);
      default:
        return read_group(row, opcode);
    }
  }

  bool read_special_two_byte(const Row& row, uint8_t opcode) {
    switch (opcode) {
      case 0x38:
        ++at_;
        return read_rest({.traits = kModRm});
      case 0x3A:
        ++at_;
        return read_rest({.traits = kModRm, .immediate = Immediate::k1});
      case 0x78: {  // extrq, insertq with two numbers; vmread
        bool has_numbers = operand_prefix_ || repeat_ == 0xF2;
        return read_rest(
            {.traits = kModRm, .immediate = has_numbers ? Immediate::k2 : Immediate::kNone});
      }
      default:
        return read_two_byte_group(row, opcode);
    }
  }

  // In 32-bit mode VEX and EVEX share their first byte with instructions that have memory operands.
  bool is_vector() const { return kIs64 || is_register(window_[at_]); }
  uint8_t vector_map(uint8_t mask) { return next() & mask; }

  bool read_vector(uint8_t map, size_t payload) {
    at_ += payload;
    Row row = vector_row(map, next());
    bool has_bad_prefix = operand_prefix_ || lock_ || repeat_ != 0 || rex_ != 0;
    bool is_valid = !has_bad_prefix && (row.traits & kInvalid) == 0;
    return is_valid && read_rest(row);
  }

  // XOP, or pop to memory or a register.
  bool read_8f() {
    constexpr uint8_t kFirstXopMap = 8;
    uint8_t map = window_[at_] & 0x1FU;
    if (map >= kFirstXopMap) {
      ++at_;
      return read_vector(map, 1);
    }
    bool is_pop = group_member(window_[at_]) == 0;
    return read_rest({.traits = kModRm}) && is_pop;
  }

  bool read_rest(const Row& row) {
    kind_ = row.kind;
    at_ += (row.traits & kModRm) != 0 ? operand_bytes() : 0;
    immediate_size_ = immediate_bytes(row.immediate);
    at_ += immediate_size_;
    return true;
  }

  size_t operand_bytes() const {
    bool has_short_addresses = !kIs64 && address_prefix_;
    return has_short_addresses ? operand_bytes_16(window_[at_]) : operand_bytes_at(window_ + at_);
  }

  OperandSize operand_size() const {
    bool is_wide = (rex_ & 8U) != 0;
    return is_wide ? kOperand64 : operand_prefix_ ? kOperand16 : kOperand32;
  }
  size_t immediate_bytes(Immediate immediate) const {
    if (immediate == Immediate::kAddress) {
      constexpr size_t kWide = kIs64 ? 8 : 4;
      return address_prefix_ ? kWide / 2 : kWide;
    }
    return kImmediateBytes<kIs64>[operand_size()][static_cast<size_t>(immediate)];
  }

  bool read_group(Row row, uint8_t opcode) {
    uint8_t modrm = window_[at_];
    uint8_t member = group_member(modrm);
    switch (opcode) {
      case 0xC6:  // mov, xabort
        return read_rest(row) && (member == 0 || modrm == 0xF8);
      case 0xC7:  // mov, xbegin
        row.kind = modrm == 0xF8 ? Kind::kTransaction : Kind::kOther;
        return read_rest(row) && (member == 0 || modrm == 0xF8);
      case 0xF6:  // test, and others without an immediate
        row.immediate = member < 2 ? Immediate::k1 : Immediate::kNone;
        return read_rest(row);
      case 0xF7:
        row.immediate = member < 2 ? Immediate::kZ : Immediate::kNone;
        return read_rest(row);
      case 0xFE:  // inc, dec
        return read_rest(row) && member < 2;
      default:
        modrm_ = modrm;
        row.kind = kind_of_ff(member);
        return read_rest(row) && is_valid_ff(modrm);
    }
  }

  static Kind kind_of_ff(uint8_t member) {
    constexpr std::array<Kind, 8> kKinds = {Kind::kOther,
                                            Kind::kOther,
                                            Kind::kIndirectCall,
                                            Kind::kFarCall,
                                            Kind::kIndirectJump,
                                            Kind::kFarJump,
                                            Kind::kOther,
                                            Kind::kOther};
    return kKinds[member];
  }
  static bool is_valid_ff(uint8_t modrm) {
    uint8_t member = group_member(modrm);
    bool is_far = member == 3 || member == 5;
    return member != 7 && !(is_far && is_register(modrm));
  }

  bool read_two_byte_group(Row row, uint8_t opcode) {
    uint8_t modrm = window_[at_];
    uint8_t member = group_member(modrm);
    switch (opcode) {
      case 0x01:
        row.kind = kind_of_01(modrm);
        return read_rest(row);
      case 0x22: {  // mov to a control register
        bool is_cr3 = member == 3 && (rex_ & 4U) == 0;
        row.kind = is_cr3 ? Kind::kWriteCr3 : Kind::kOther;
        return read_rest(row);
      }
      case 0xAE:
        row.kind = member == 4 && repeat_ == 0xF3 ? Kind::kPtWrite : Kind::kOther;
        return read_rest(row);
      default:  // BA: bt, bts, btr, btc
        return read_rest(row) && member >= 4;
    }
  }

  Kind kind_of_01(uint8_t modrm) const {
    switch (modrm) {
      case 0xC1:  // vmcall
        return repeat_ == 0 ? Kind::kVmCall : Kind::kOther;
      case 0xD9:  // vmmcall, vmgexit
        return Kind::kVmCall;
      case 0xC2:  // vmlaunch
      case 0xC3:  // vmresume
        return repeat_ == 0 ? Kind::kVmEntry : Kind::kOther;
      case 0xD8:  // vmrun
        return Kind::kVmEntry;
      case 0xCA:  // eretu, erets
        return repeat_ != 0 ? Kind::kInterruptReturn : Kind::kOther;
      case 0xEC:  // uiret
        return repeat_ == 0xF3 ? Kind::kInterruptReturn : Kind::kOther;
      default:
        return Kind::kOther;
    }
  }

  void set_destination(Instruction& found, uint64_t address) const {
    uint64_t next = address + at_;
    if (has_target(kind_)) {
      found.target = narrowed(next + distance_before(window_ + at_, immediate_size_));
    } else if (kind_ == Kind::kIndirectJump || kind_ == Kind::kIndirectCall) {
      found.through_memory = !is_register(modrm_);
      found.slot = found.through_memory ? slot(next) : 0;
    }
  }

  // 16-bit code in a 32-bit program jumps within the first 64 KiB.
  uint64_t narrowed(uint64_t target) const {
    if (kIs64) {
      return target;
    }
    bool is_16 = operand_prefix_ && kind_ != Kind::kTransaction;
    return is_16 ? target & 0xFFFFU : target & 0xFFFF'FFFFU;
  }

  // The address of the pointer, if it depends on no register except rip.
  uint64_t slot(uint64_t next) const {
    bool is_constant = (modrm_ & 0xC7U) == 5 && !segment_ && (kIs64 || !address_prefix_);
    if (!is_constant) {
      return 0;
    }
    uint64_t address = distance_before(window_ + at_, 4) + (kIs64 ? next : 0);
    return !kIs64 || address_prefix_ ? address & 0xFFFF'FFFFU : address;
  }

  const uint8_t* window_;
  size_t at_ = 0;
  Kind kind_ = Kind::kOther;
  uint8_t modrm_ = 0;  // of indirect branches
  uint8_t rex_ = 0;
  uint8_t repeat_ = 0;
  bool operand_prefix_ = false;
  bool address_prefix_ = false;
  bool lock_ = false;
  bool segment_ = false;  // fs or gs
  size_t immediate_size_ = 0;
};

template <bool kIs64>
Instruction decode_in_mode(Bytes code, uint64_t address) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(code.data());
  if (code.size() >= kWindow) [[likely]] {
    return Decoder<kIs64>(bytes).run(code.size(), address);
  }
  std::array<uint8_t, kWindow> window = {};
  std::copy_n(bytes, code.size(), window.begin());
  return Decoder<kIs64>(window.data()).run(code.size(), address);
}

}  // namespace
}  // namespace x86

Instruction decode_x86(Bytes code, uint64_t address) {
  return x86::decode_in_mode<false>(code, address);
}

Instruction decode_x86_64(Bytes code, uint64_t address) {
  return x86::decode_in_mode<true>(code, address);
}

}  // namespace wick::isa

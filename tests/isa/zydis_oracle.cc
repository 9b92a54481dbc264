// SPDX-License-Identifier: Apache-2.0
// Zydis as an oracle of x86.
//
// Known differences: jkzd and jknzd, jumps of Knights Corner in encodings that no other processor
// has. wick does not know them: that processor is out of use, and never had Intel PT.
#include <algorithm>
#include <array>

#include <Zydis/Zydis.h>

#include "tests/isa/oracle.h"

namespace wick::isa::testing {
namespace {

struct NamedKind {
  ZydisMnemonic mnemonic;
  Kind kind;
};
constexpr std::array kNamedKinds = {
    NamedKind{ZYDIS_MNEMONIC_INT, Kind::kInterrupt},
    NamedKind{ZYDIS_MNEMONIC_INT1, Kind::kInterrupt},
    NamedKind{ZYDIS_MNEMONIC_INT3, Kind::kInterrupt},
    NamedKind{ZYDIS_MNEMONIC_INTO, Kind::kInterrupt},
    NamedKind{ZYDIS_MNEMONIC_IRET, Kind::kInterruptReturn},
    NamedKind{ZYDIS_MNEMONIC_IRETD, Kind::kInterruptReturn},
    NamedKind{ZYDIS_MNEMONIC_IRETQ, Kind::kInterruptReturn},
    NamedKind{ZYDIS_MNEMONIC_UIRET, Kind::kInterruptReturn},
    NamedKind{ZYDIS_MNEMONIC_RSM, Kind::kInterruptReturn},
    NamedKind{ZYDIS_MNEMONIC_SYSCALL, Kind::kSystemCall},
    NamedKind{ZYDIS_MNEMONIC_SYSENTER, Kind::kSystemCall},
    NamedKind{ZYDIS_MNEMONIC_SYSRET, Kind::kSystemReturn},
    NamedKind{ZYDIS_MNEMONIC_SYSEXIT, Kind::kSystemReturn},
    NamedKind{ZYDIS_MNEMONIC_VMCALL, Kind::kVmCall},
    NamedKind{ZYDIS_MNEMONIC_VMMCALL, Kind::kVmCall},
    NamedKind{ZYDIS_MNEMONIC_VMLAUNCH, Kind::kVmEntry},
    NamedKind{ZYDIS_MNEMONIC_VMRESUME, Kind::kVmEntry},
    NamedKind{ZYDIS_MNEMONIC_VMRUN, Kind::kVmEntry},
    NamedKind{ZYDIS_MNEMONIC_XBEGIN, Kind::kTransaction},
    NamedKind{ZYDIS_MNEMONIC_UD0, Kind::kUndefined},
    NamedKind{ZYDIS_MNEMONIC_UD1, Kind::kUndefined},
    NamedKind{ZYDIS_MNEMONIC_UD2, Kind::kUndefined},
    NamedKind{ZYDIS_MNEMONIC_PTWRITE, Kind::kPtWrite},
};

class ZydisOracle : public Oracle {
 public:
  explicit ZydisOracle(bool is_64) : address_mask_(is_64 ? UINT64_MAX : UINT32_MAX) {
    ZydisDecoderInit(&decoder_,
                     is_64 ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LONG_COMPAT_32,
                     is_64 ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
  }

  Answer ask(Bytes code, uint64_t address) override {
    if (ZYAN_FAILED(
            ZydisDecoderDecodeInstruction(&decoder_, &context_, code.data(), code.size(), &raw_))) {
      return {};
    }
    Answer answer;
    answer.instruction = {.outcome = Outcome::kDecoded, .length = raw_.length};
    answer.instruction.kind = kind();
    answer.is_exempt =
        raw_.mnemonic == ZYDIS_MNEMONIC_JKZD || raw_.mnemonic == ZYDIS_MNEMONIC_JKNZD;
    if (answer.instruction.kind != Kind::kOther) {
      set_destination(answer.instruction, address);
    }
    return answer;
  }
  std::string name() const override { return ZydisMnemonicGetString(raw_.mnemonic); }

 private:
  Kind kind() const {
    bool is_far = raw_.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR;
    bool is_direct = raw_.raw.imm[0].is_relative != 0;
    switch (raw_.mnemonic) {
      case ZYDIS_MNEMONIC_JMP:
        return is_far ? Kind::kFarJump : is_direct ? Kind::kJump : Kind::kIndirectJump;
      case ZYDIS_MNEMONIC_CALL:
        return is_far ? Kind::kFarCall : is_direct ? Kind::kCall : Kind::kIndirectCall;
      case ZYDIS_MNEMONIC_RET:
        return is_far ? Kind::kFarReturn : Kind::kReturn;
      case ZYDIS_MNEMONIC_MOV:
        return writes_cr3() ? Kind::kWriteCr3 : Kind::kOther;
      default:
        return kind_by_name();
    }
  }
  Kind kind_by_name() const {
    const auto* found = std::ranges::find(kNamedKinds, raw_.mnemonic, &NamedKind::mnemonic);
    if (found != kNamedKinds.end()) {
      return found->kind;
    }
    // xend and xabort have the category of conditional branches, too.
    bool is_conditional =
        raw_.meta.category == ZYDIS_CATEGORY_COND_BR && raw_.raw.imm[0].is_relative != 0;
    return is_conditional ? Kind::kConditionalJump : Kind::kOther;
  }
  bool writes_cr3() const {
    return raw_.opcode_map == ZYDIS_OPCODE_MAP_0F && raw_.opcode == 0x22 &&
           operand().reg.value == ZYDIS_REGISTER_CR3;
  }

  ZydisDecodedOperand operand() const {
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecoderDecodeOperands(&decoder_, &context_, &raw_, operands, raw_.operand_count);
    return operands[0];
  }

  void set_destination(Instruction& found, uint64_t address) const {
    bool is_indirect = found.kind == Kind::kIndirectCall || found.kind == Kind::kIndirectJump;
    if (!has_target(found.kind) && !is_indirect) {
      return;
    }
    ZydisDecodedOperand target_operand = operand();
    found.through_memory = is_indirect && target_operand.type == ZYDIS_OPERAND_TYPE_MEMORY;
    if (has_target(found.kind)) {
      ZydisCalcAbsoluteAddress(&raw_, &target_operand, address, &found.target);
      found.target &= address_mask_;
    } else if (found.through_memory && is_constant(target_operand.mem)) {
      ZydisCalcAbsoluteAddress(&raw_, &target_operand, address, &found.slot);
    }
  }
  // Absolute addresses of 64-bit code are left out: they need a SIB byte, and position-independent
  // code has none.
  bool is_constant(const auto& memory) const {
    bool by_segment = memory.segment == ZYDIS_REGISTER_FS || memory.segment == ZYDIS_REGISTER_GS;
    bool by_pc = memory.base == ZYDIS_REGISTER_RIP || memory.base == ZYDIS_REGISTER_EIP;
    bool absolute = memory.base == ZYDIS_REGISTER_NONE && memory.index == ZYDIS_REGISTER_NONE &&
                    raw_.raw.modrm.rm == 5;
    return !by_segment && (by_pc || absolute);
  }

  uint64_t address_mask_;  // Zydis does not wrap around at 4 GiB
  ZydisDecoder decoder_;
  ZydisDecoderContext context_;
  ZydisDecodedInstruction raw_;
};

}  // namespace

std::unique_ptr<Oracle> open_zydis(InstructionSet set) {
  return set == InstructionSet::kAarch64
             ? nullptr
             : std::make_unique<ZydisOracle>(set == InstructionSet::kX86_64);
}

}  // namespace wick::isa::testing

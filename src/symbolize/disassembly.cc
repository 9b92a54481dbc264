// SPDX-License-Identifier: Apache-2.0
#include "symbolize/disassembly.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include <capstone/capstone.h>
#include <fmt/format.h>

#include "isa/instruction.h"

namespace wick {
namespace {

constexpr size_t kMnemonicColumns = 7;

bool is_x86(Architecture machine) {
  return machine == Architecture::kX86 || machine == Architecture::kX86_64;
}

isa::InstructionSet instruction_set(Architecture machine) {
  switch (machine) {
    case Architecture::kX86:
      return isa::InstructionSet::kX86;
    case Architecture::kX86_64:
      return isa::InstructionSet::kX86_64;
    default:
      return isa::InstructionSet::kAarch64;
  }
}

std::string bytes_text(Bytes code) {
  std::string text = fmt::format("{:<{}}", ".byte", kMnemonicColumns);
  for (size_t i = 0; i < code.size(); ++i) {
    text += fmt::format("{}0x{:02x}", i == 0 ? "" : ",", static_cast<uint8_t>(code[i]));
  }
  return text;
}

// The bytes alone (".byte 0x62,...") do not show that the instruction is one of AVX-512.
std::string unnamed_text(Bytes code, Architecture machine) {
  if (!is_x86(machine)) {
    uint32_t word = 0;
    std::memcpy(&word, code.data(), sizeof word);
    return fmt::format("{:<{}}0x{:08x}", ".inst", kMnemonicColumns, word);
  }
  bool is_evex = static_cast<uint8_t>(code[0]) == 0x62;
  return bytes_text(code) + (is_evex ? "  (AVX-512)" : "");
}

}  // namespace

// The only user of capstone.
class Disassembler::Capstone {
 public:
  Capstone(const Capstone&) = delete;
  Capstone& operator=(const Capstone&) = delete;

  static std::unique_ptr<Capstone> open(Architecture machine, AssemblySyntax syntax) {
    auto opened = std::unique_ptr<Capstone>(new Capstone);
    cs_arch arch = is_x86(machine) ? CS_ARCH_X86 : CS_ARCH_ARM64;
    cs_mode mode = machine == Architecture::kX86_64 ? CS_MODE_64
                   : machine == Architecture::kX86  ? CS_MODE_32
                                                    : CS_MODE_LITTLE_ENDIAN;
    if (cs_open(arch, mode, &opened->handle_) != CS_ERR_OK) {
      opened->handle_ = 0;
      return nullptr;
    }
    cs_option(opened->handle_, CS_OPT_DETAIL, CS_OPT_ON);
    if (is_x86(machine) && syntax == AssemblySyntax::kAtt) {
      cs_option(opened->handle_, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
    }
    opened->instruction_ = cs_malloc(opened->handle_);
    return opened;
  }
  ~Capstone() {
    if (instruction_ != nullptr) {
      cs_free(instruction_, 1);
    }
    if (handle_ != 0) {
      cs_close(&handle_);
    }
  }

  // False if capstone does not know the bytes.
  bool decode(Bytes code, uint64_t address) {
    const auto* at = reinterpret_cast<const uint8_t*>(code.data());
    size_t left = code.size();
    return cs_disasm_iter(handle_, &at, &left, &address, instruction_);
  }
  const cs_insn& instruction() const { return *instruction_; }

 private:
  Capstone() = default;

  csh handle_ = 0;
  cs_insn* instruction_ = nullptr;
};

namespace {

// The address that an instruction reads or writes, if it is a constant.
std::optional<uint64_t> x86_data(const cs_insn& raw) {
  const cs_x86& detail = raw.detail->x86;
  for (const cs_x86_op& operand : std::span(detail.operands, detail.op_count)) {
    bool is_constant = operand.type == X86_OP_MEM && operand.mem.index == X86_REG_INVALID &&
                       operand.mem.segment == X86_REG_INVALID;
    if (is_constant && operand.mem.base == X86_REG_RIP) {
      return raw.address + raw.size + static_cast<uint64_t>(operand.mem.disp);
    }
  }
  return std::nullopt;
}

std::optional<uint64_t> arm_data(const cs_insn& raw) {
  const cs_arm64& detail = raw.detail->arm64;
  bool has_address = raw.id == ARM64_INS_ADR || raw.id == ARM64_INS_ADRP ||
                     (raw.id == ARM64_INS_LDR && detail.op_count == 2);
  for (const cs_arm64_op& operand : std::span(detail.operands, detail.op_count)) {
    if (has_address && operand.type == ARM64_OP_IMM) {
      return static_cast<uint64_t>(operand.imm);
    }
  }
  return std::nullopt;
}

}  // namespace

Disassembler::Disassembler(Architecture machine, std::unique_ptr<Capstone> capstone)
    : machine_(machine), capstone_(std::move(capstone)) {}

Disassembler::~Disassembler() = default;

std::unique_ptr<Disassembler> Disassembler::open(Architecture machine, AssemblySyntax syntax) {
  if (!is_x86(machine) && machine != Architecture::kAarch64) {
    return nullptr;
  }
  std::unique_ptr<Capstone> capstone = Capstone::open(machine, syntax);
  if (capstone == nullptr) {
    return nullptr;
  }
  return std::unique_ptr<Disassembler>(new Disassembler(machine, std::move(capstone)));
}

Instruction Disassembler::next(Bytes code, uint64_t address) {
  isa::Instruction decoded = isa::decode(instruction_set(machine_), code, address);
  Instruction found{.address = address, .length = decoded.length};
  if (!decoded.ok()) {
    found.length = 1;
    found.is_data = true;
    found.text = bytes_text(code.first(1));
    return found;
  }
  found.is_call = isa::is_call(decoded.kind);
  found.is_jump = isa::is_jump(decoded.kind);
  if (isa::has_target(decoded.kind)) {
    found.target = decoded.target;
  }
  Bytes own = code.first(found.length);
  bool known = capstone_->decode(own, address) && capstone_->instruction().size == found.length;
  if (!known) {
    found.is_unnamed = true;
    found.text = unnamed_text(own, machine_);
    return found;
  }
  const cs_insn& raw = capstone_->instruction();
  std::string_view operands = raw.op_str;
  found.text = operands.empty()
                   ? raw.mnemonic
                   : fmt::format("{:<{}}{}{}", raw.mnemonic, kMnemonicColumns - 1, ' ', operands);
  found.data = is_x86(machine_) ? x86_data(raw) : arm_data(raw);
  return found;
}

}  // namespace wick

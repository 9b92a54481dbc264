// SPDX-License-Identifier: Apache-2.0
// capstone as an oracle of AArch64.
//
// Known differences: capstone 4 does not know branches that check a signature, bc.cond and udf, so
// instructions that it cannot decode are not compared.
#include <span>

#include <capstone/capstone.h>

#include "tests/isa/oracle.h"

namespace wick::isa::testing {
namespace {

class CapstoneOracle : public Oracle {
 public:
  CapstoneOracle() {
    cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &handle_);
    cs_option(handle_, CS_OPT_DETAIL, CS_OPT_ON);
    raw_ = cs_malloc(handle_);
  }
  ~CapstoneOracle() override {
    cs_free(raw_, 1);
    cs_close(&handle_);
  }
  CapstoneOracle(const CapstoneOracle&) = delete;
  CapstoneOracle& operator=(const CapstoneOracle&) = delete;

  Answer ask(Bytes code, uint64_t address) override {
    const auto* at = reinterpret_cast<const uint8_t*>(code.data());
    size_t left = code.size();
    if (!cs_disasm_iter(handle_, &at, &left, &address, raw_)) {
      return {};
    }
    Answer answer;
    answer.instruction = {
        .outcome = Outcome::kDecoded, .kind = kind(), .length = static_cast<uint8_t>(raw_->size)};
    answer.instruction.target = has_target(answer.instruction.kind) ? last_immediate() : 0;
    return answer;
  }
  std::string name() const override { return raw_->mnemonic; }

 private:
  Kind kind() const {
    switch (raw_->id) {
      case ARM64_INS_B:
        return raw_->detail->arm64.cc == ARM64_CC_INVALID ? Kind::kJump : Kind::kConditionalJump;
      case ARM64_INS_CBZ:
      case ARM64_INS_CBNZ:
      case ARM64_INS_TBZ:
      case ARM64_INS_TBNZ:
        return Kind::kConditionalJump;
      case ARM64_INS_BL:
        return Kind::kCall;
      case ARM64_INS_BR:
        return Kind::kIndirectJump;
      case ARM64_INS_BLR:
        return Kind::kIndirectCall;
      case ARM64_INS_RET:
        return Kind::kReturn;
      default:
        return kind_of_exception();
    }
  }
  Kind kind_of_exception() const {
    switch (raw_->id) {
      case ARM64_INS_ERET:
      case ARM64_INS_DRPS:
        return Kind::kInterruptReturn;
      case ARM64_INS_SVC:
        return Kind::kSystemCall;
      case ARM64_INS_HVC:
      case ARM64_INS_SMC:
        return Kind::kVmCall;
      case ARM64_INS_BRK:
      case ARM64_INS_HLT:
        return Kind::kInterrupt;
      default:
        return Kind::kOther;
    }
  }
  uint64_t last_immediate() const {
    const cs_arm64& detail = raw_->detail->arm64;
    uint64_t value = 0;
    for (const cs_arm64_op& operand : std::span(detail.operands, detail.op_count)) {
      value = operand.type == ARM64_OP_IMM ? static_cast<uint64_t>(operand.imm) : value;
    }
    return value;
  }

  csh handle_ = 0;
  cs_insn* raw_ = nullptr;
};

}  // namespace

std::unique_ptr<Oracle> open_capstone(InstructionSet set) {
  return set == InstructionSet::kAarch64 ? std::make_unique<CapstoneOracle>() : nullptr;
}

}  // namespace wick::isa::testing

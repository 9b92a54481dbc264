// SPDX-License-Identifier: Apache-2.0
#include "isa/aarch64.h"

#include <gtest/gtest.h>

#include "isa/testing.h"

namespace wick::isa {
namespace {

Instruction at_1000(std::string_view digits) {
  return testing::decoded(InstructionSet::kAarch64, digits);
}

TEST(Aarch64, KindsThatNameTheirTarget) {
  struct Case {
    std::string_view digits;
    Kind kind;
    uint64_t target;
  };
  for (const Case& known : {Case{"40 00 00 14", Kind::kJump, 0x1100},
                            {"ff ff ff 17", Kind::kJump, 0xFFC},
                            {"ff ff ff 97", Kind::kCall, 0xFFC},
                            {"00 00 00 96", Kind::kCall, 0xFFFF'FFFF'F800'1000},
                            {"40 00 00 54", Kind::kConditionalJump, 0x1008},
                            {"50 00 00 54", Kind::kConditionalJump, 0x1008},
                            {"e0 ff ff b5", Kind::kConditionalJump, 0xFFC},
                            {"40 00 10 36", Kind::kConditionalJump, 0x1008},
                            {"e0 ff ff b7", Kind::kConditionalJump, 0xFFC}}) {
    Instruction found = at_1000(known.digits);
    EXPECT_EQ(found.kind, known.kind) << known.digits;
    EXPECT_EQ(found.target, known.target) << known.digits;
    EXPECT_EQ(found.length, 4U);
  }
}

// The bytes are clang's output; capstone 4 does not support the forms that check a signature.
TEST(Aarch64, KindsThatDoNot) {
  struct Case {
    std::string_view digits;
    Kind kind;
  };
  for (const Case& known : {Case{"1f 20 03 d5", Kind::kOther},        // nop
                            {"e0 00 1f d6", Kind::kIndirectJump},     // br x7
                            {"22 08 1f d7", Kind::kIndirectJump},     // braa x1, x2
                            {"22 0c 1f d7", Kind::kIndirectJump},     // brab x1, x2
                            {"7f 0c 1f d6", Kind::kIndirectJump},     // brabz x3
                            {"20 01 3f d6", Kind::kIndirectCall},     // blr x9
                            {"3f 0c 3f d7", Kind::kIndirectCall},     // blrab x1, sp
                            {"7f 08 3f d6", Kind::kIndirectCall},     // blraaz x3
                            {"a0 00 5f d6", Kind::kReturn},           // ret x5
                            {"ff 0b 5f d6", Kind::kReturn},           // retaa
                            {"ff 0f 5f d6", Kind::kReturn},           // retab
                            {"e0 03 9f d6", Kind::kInterruptReturn},  // eret
                            {"ff 0b 9f d6", Kind::kInterruptReturn},  // eretaa
                            {"e0 03 bf d6", Kind::kInterruptReturn},  // drps
                            {"21 00 00 d4", Kind::kSystemCall},       // svc
                            {"42 00 00 d4", Kind::kVmCall},           // hvc
                            {"63 00 00 d4", Kind::kVmCall},           // smc
                            {"80 00 20 d4", Kind::kInterrupt},        // brk
                            {"a0 00 40 d4", Kind::kInterrupt},        // hlt
                            {"06 00 00 00", Kind::kUndefined}}) {     // udf
    EXPECT_EQ(at_1000(known.digits).kind, known.kind) << known.digits;
  }
}

TEST(Aarch64, CutInstructionsAreTooShort) {
  EXPECT_EQ(at_1000("").outcome, Outcome::kTooShort);
  EXPECT_EQ(at_1000("40 00 00").outcome, Outcome::kTooShort);
}

}  // namespace
}  // namespace wick::isa

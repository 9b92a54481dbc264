// SPDX-License-Identifier: Apache-2.0
#include "isa/stack_effect.h"

#include <gtest/gtest.h>

#include "isa/testing.h"

namespace wick::isa {
namespace {

using Kind = StackEffect::Kind;

constexpr uint8_t kRax = 0;
constexpr uint8_t kR10 = 10;

StackEffect in_64(std::string_view digits) {
  std::string code = testing::code_of(digits);
  return stack_effect(InstructionSet::kX86_64, as_bytes(code));
}
StackEffect in_32(std::string_view digits) {
  std::string code = testing::code_of(digits);
  return stack_effect(InstructionSet::kX86, as_bytes(code));
}

TEST(StackEffectOf, PushesAndPops) {
  EXPECT_EQ(in_64("55").kind, Kind::kPush);
  EXPECT_EQ(in_64("41 57").kind, Kind::kPush);
  EXPECT_EQ(in_64("6a 01").kind, Kind::kPush);
  EXPECT_EQ(in_64("ff 35 00 00 00 00").kind, Kind::kPush);
  EXPECT_EQ(in_64("5d"), (StackEffect{Kind::kPop, kFramePointer}));
  EXPECT_EQ(in_64("41 5a"), (StackEffect{Kind::kPop, kR10}));
  EXPECT_EQ(in_64("8f 00").kind, Kind::kDrop);
  EXPECT_EQ(in_64("c9").kind, Kind::kLeave);
  EXPECT_EQ(in_64("66 50").kind, Kind::kLost) << "a push of 16 bits";
  EXPECT_EQ(in_64("ff d0").kind, Kind::kNone) << "call *%rax";
}

TEST(StackEffectOf, RexCountsOnlyBeforeTheOpcode) {
  EXPECT_EQ(in_64("66 48 89 e5"), (StackEffect{Kind::kCopy, kFramePointer, kStackPointer, 0}))
      << "REX.W overrules the prefix";
  EXPECT_EQ(in_64("48 66 50").kind, Kind::kLost) << "a push of 16 bits";
  EXPECT_EQ(in_64("41 66 58").kind, Kind::kLost);
  EXPECT_EQ(in_64("48 f3 89 e5"), (StackEffect{Kind::kLost, kFramePointer})) << "mov %esp,%ebp";
  EXPECT_EQ(in_64("48 41 57").kind, Kind::kPush);
}

TEST(StackEffectOf, AddsNumbers) {
  EXPECT_EQ(in_64("48 83 ec 18"), (StackEffect{Kind::kAdd, kStackPointer, 0, -0x18}));
  EXPECT_EQ(in_64("48 81 c4 00 01 00 00"), (StackEffect{Kind::kAdd, kStackPointer, 0, 0x100}));
  EXPECT_EQ(in_64("48 83 c4 80"), (StackEffect{Kind::kAdd, kStackPointer, 0, -128}));
  EXPECT_EQ(in_32("83 ec 0c"), (StackEffect{Kind::kAdd, kStackPointer, 0, -12}));
  EXPECT_EQ(in_64("48 83 e4 f0").kind, Kind::kLost) << "and $-16,%rsp";
  EXPECT_EQ(in_64("48 29 c4").kind, Kind::kLost) << "sub %rax,%rsp";
  EXPECT_EQ(in_64("48 83 fc 10").kind, Kind::kNone) << "cmp $16,%rsp";
  EXPECT_EQ(in_64("48 39 e0").kind, Kind::kNone) << "cmp %rsp,%rax";
  EXPECT_EQ(in_64("48 83 44 24 08 01").kind, Kind::kNone) << "addq $1,8(%rsp)";
}

TEST(StackEffectOf, CopiesAndLoads) {
  EXPECT_EQ(in_64("48 89 e5"), (StackEffect{Kind::kCopy, kFramePointer, kStackPointer, 0}));
  EXPECT_EQ(in_64("48 89 ec"), (StackEffect{Kind::kCopy, kStackPointer, kFramePointer, 0}));
  EXPECT_EQ(in_64("48 8b e5"), (StackEffect{Kind::kCopy, kStackPointer, kFramePointer, 0}));
  EXPECT_EQ(in_64("4c 8d 54 24 08"), (StackEffect{Kind::kCopy, kR10, kStackPointer, 8}));
  EXPECT_EQ(in_64("49 8d 62 f8"), (StackEffect{Kind::kCopy, kStackPointer, kR10, -8}));
  EXPECT_EQ(in_64("48 8d 65 d8"), (StackEffect{Kind::kCopy, kStackPointer, kFramePointer, -40}));
  EXPECT_EQ(in_64("48 8b a4 24 40 01 00 00"),
            (StackEffect{Kind::kLoad, kStackPointer, kStackPointer, 0x140}));
  EXPECT_EQ(in_64("48 8b 6c 24 10"), (StackEffect{Kind::kLoad, kFramePointer, kStackPointer, 16}));
  EXPECT_EQ(in_64("48 8b 04 24"), (StackEffect{Kind::kLoad, kRax, kStackPointer, 0}));
  EXPECT_EQ(in_64("48 8b 24 c8").kind, Kind::kLost) << "mov (%rax,%rcx,8),%rsp";
  EXPECT_EQ(in_64("64 48 8b 24 25 00 03 00 00").kind, Kind::kLost) << "from a segment";
  EXPECT_EQ(in_64("bc 00 00 00 00").kind, Kind::kLost) << "mov $0,%esp";
}

TEST(StackEffectOf, ValuesAreLostWithOtherInstructions) {
  EXPECT_EQ(in_64("48 01 d8"), (StackEffect{Kind::kLost, kRax})) << "add %rbx,%rax";
  EXPECT_EQ(in_64("48 94"), (StackEffect{Kind::kLost, kStackPointer})) << "xchg %rax,%rsp";
  EXPECT_EQ(in_64("48 c7 c4 00 00 00 00"), (StackEffect{Kind::kLost, kStackPointer}));
  EXPECT_EQ(in_64("48 ff c4"), (StackEffect{Kind::kLost, kStackPointer})) << "inc %rsp";
  EXPECT_EQ(in_32("4c"), (StackEffect{Kind::kLost, kStackPointer})) << "dec %esp";
  EXPECT_EQ(in_64("66 ff 30"), (StackEffect{Kind::kLost, kStackPointer})) << "push of 16 bits";
}

TEST(StackEffectOf, OtherInstructionsHaveNone) {
  EXPECT_EQ(in_64("0f 28 e0").kind, Kind::kNone) << "movaps %xmm0,%xmm4";
  EXPECT_EQ(in_64("c5 fc 28 24 24").kind, Kind::kNone) << "vmovaps (%rsp),%ymm4";
  EXPECT_EQ(in_64("8f e9 78 e1 c8").kind, Kind::kNone) << "XOP";
  EXPECT_EQ(in_64("48 89 04 24").kind, Kind::kNone) << "mov %rax,(%rsp)";
}

std::optional<MemoryOperand> operand_of(std::string_view hex) {
  std::string code = testing::code_of(hex);
  return memory_operand(InstructionSet::kX86_64, as_bytes(code));
}

TEST(MemoryOperandOf, MovCmpAndLea) {
  using Form = MemoryOperand::Kind;
  struct Case {
    std::string_view code;
    MemoryOperand operand;
  };
  for (const Case& known : {Case{"48 8b 58 30", {Form::kLoad, 3, 0, 0x30}},
                            {"49 89 6e 60", {Form::kStore, 5, 14, 0x60}},
                            {"48 3b 83 c0 00 00 00", {Form::kCompare, 0, 3, 0xC0}},
                            {"48 39 43 f8", {Form::kCompare, 0, 3, -8}},
                            {"4c 8d 4c 24 08", {Form::kAddress, 9, 4, 8}}}) {
    EXPECT_EQ(operand_of(known.code), known.operand) << known.code;
  }
}

TEST(MemoryOperandOf, OthersHaveNone) {
  for (std::string_view code : {"48 39 d0",                    // cmp %rdx,%rax
                                "64 48 8b 04 25 f8 ff ff ff",  // mov %fs:-8,%rax
                                "4c 8d 0d 21 0e 00 00",        // lea number(%rip),%r9
                                "48 8b 04 c8",                 // mov (%rax,%rcx,8),%rax
                                "8b 58 30",                    // 32 bits
                                "48 03 58 30",
                                "90",
                                ""}) {
    EXPECT_FALSE(operand_of(code)) << code;
  }
}

TEST(StackEffectOf, ReturnsThatDropArguments) {
  std::string plain = testing::code_of("c3");
  std::string with_number = testing::code_of("c2 08 00");
  EXPECT_EQ(bytes_dropped_by_return(as_bytes(plain)), 0);
  EXPECT_EQ(bytes_dropped_by_return(as_bytes(with_number)), 8);
}

}  // namespace
}  // namespace wick::isa

#include "symbolize/disassembly.h"

#include <algorithm>
#include <iterator>

#include <gtest/gtest.h>

#include "symbolize/x86_length.h"

namespace wick {
namespace {

std::string code_of(std::string_view digits) {
  std::string packed;
  std::ranges::copy_if(digits, std::back_inserter(packed), [](char c) { return c != ' '; });
  return bytes_of_hex(packed);
}

size_t length_64(std::string_view digits) {
  return x86_length(as_bytes(code_of(digits)), X86Mode::k64);
}
size_t length_32(std::string_view digits) {
  return x86_length(as_bytes(code_of(digits)), X86Mode::k32);
}

Instruction decoded(ElfMachine machine,
                    std::string_view digits,
                    uint64_t address = 0x1000,
                    AssemblySyntax syntax = AssemblySyntax::kAtt) {
  std::string code = code_of(digits);
  return Disassembler::open(machine, syntax)->next(as_bytes(code), address);
}

TEST(X86Length, OrdinaryInstructions) {
  EXPECT_EQ(length_64("90 90"), 1U);
  EXPECT_EQ(length_64("48 89 d8 90"), 3U);
  EXPECT_EQ(length_64("48 b8 01 02 03 04 05 06 07 08 90"), 10U) << "64-bit immediate";
  EXPECT_EQ(length_64("66 b8 01 02 90"), 4U);
  EXPECT_EQ(length_64("f7 05 01 02 03 04 05 06 07 08 90"), 10U) << "test has an immediate";
  EXPECT_EQ(length_64("f7 15 01 02 03 04 90"), 6U) << "not has none";
  EXPECT_EQ(length_64("f3 0f 1e fa 90"), 4U);
  EXPECT_EQ(length_64("66 2e 0f 1f 84 00 00 00 00 00 90"), 10U);
  EXPECT_EQ(length_64("8b 04 25 01 02 03 04 90"), 7U) << "SIB without base";
  EXPECT_EQ(length_64("0f 3a 0f c1 08 90"), 5U);
}

TEST(X86Length, VectorInstructionsThatAreNewerThanTheDisassembler) {
  EXPECT_EQ(length_64("62 f1 fe 48 6f 06 90"), 6U) << "vmovdqu64 (%rsi),%zmm0";
  EXPECT_EQ(length_64("62 f3 75 20 3f 46 01 00 90"), 8U) << "vpcmpb $0,0x20(%rsi),%ymm17,%k0";
  EXPECT_EQ(length_64("62 f5 7c 48 58 c8 90"), 6U) << "vaddph";
  EXPECT_EQ(length_64("c5 f8 77 90"), 3U) << "vzeroupper";
  EXPECT_EQ(length_64("c4 e3 7d 39 c1 01 90"), 6U) << "vextracti128 $1";
  EXPECT_EQ(length_64("c4 e2 7b 49 c0 90"), 5U) << "AMX";
}

TEST(X86Length, ModesDiffer) {
  EXPECT_EQ(length_32("40 90"), 1U) << "inc; a prefix in 64-bit mode";
  EXPECT_EQ(length_64("40 90"), 2U);
  EXPECT_EQ(length_32("c5 06 90"), 2U) << "lds; VEX in 64-bit mode";
  EXPECT_EQ(length_32("67 8b 06 01 02 90"), 5U) << "16-bit address";
  EXPECT_EQ(length_64("67 8b 06 90"), 3U);
  EXPECT_EQ(length_32("a1 01 02 03 04 90"), 5U);
  EXPECT_EQ(length_64("a1 01 02 03 04 05 06 07 08 90"), 9U);
  EXPECT_EQ(length_64("06"), 0U) << "push %es is none";
  EXPECT_EQ(length_32("06"), 1U);
}

TEST(X86Length, NeverReadsBeyondTheEnd) {
  std::string code = code_of("62 f3 75 20 3f 46 01 00");
  for (size_t size = 0; size < code.size(); ++size) {
    EXPECT_EQ(x86_length(as_bytes(std::string_view(code).substr(0, size)), X86Mode::k64), 0U)
        << size;
  }
  EXPECT_EQ(length_64("66 66 66 66 66 66 66 66 66 66 66 66 66 66 66 66 66 90"), 0U)
      << "longer than any instruction";
}

TEST(Disassembly, TellsWhereJumpsAndCallsGo) {
  Instruction jump = decoded(ElfMachine::kX86_64, "75 fe");
  EXPECT_EQ(jump.target, 0x1000U);
  EXPECT_TRUE(jump.is_jump);
  Instruction call = decoded(ElfMachine::kX86_64, "e8 00 01 00 00");
  EXPECT_EQ(call.target, 0x1105U);
  EXPECT_TRUE(call.is_call);
  EXPECT_FALSE(call.is_jump);
  EXPECT_FALSE(decoded(ElfMachine::kX86_64, "ff d0").target) << "call *%rax goes anywhere";
  EXPECT_EQ(decoded(ElfMachine::kX86_64, "48 8b 05 10 00 00 00").data, 0x1017U);
  Instruction branch = decoded(ElfMachine::kAarch64, "40000054");
  EXPECT_EQ(branch.target, 0x1008U);
  EXPECT_EQ(decoded(ElfMachine::kAarch64, "40001036").target, 0x1008U) << "tbz $2";
}

TEST(Disassembly, SpeaksBothDialects) {
  EXPECT_EQ(decoded(ElfMachine::kX86_64, "48 89 d8").text, "movq   %rbx, %rax");
  EXPECT_EQ(decoded(ElfMachine::kX86_64, "48 89 d8", 0, AssemblySyntax::kIntel).text,
            "mov    rax, rbx");
  EXPECT_EQ(decoded(ElfMachine::kX86, "40").text, "incl   %eax");
  EXPECT_EQ(decoded(ElfMachine::kAarch64, "c0035fd6").text, "ret");
}

TEST(Disassembly, WhatHasNoNameKeepsItsLength) {
  Instruction wide = decoded(ElfMachine::kX86_64, "62 a1 fe 28 6f 06 90");  // ymm16
  EXPECT_EQ(wide.length, 6U);
  EXPECT_FALSE(wide.is_data);
  Instruction newer = decoded(ElfMachine::kX86_64, "62 f5 7c 48 58 c8 90");
  EXPECT_TRUE(newer.is_unnamed);
  EXPECT_EQ(newer.text, ".byte  0x62,0xf5,0x7c,0x48,0x58,0xc8  (AVX-512)");
  Instruction data = decoded(ElfMachine::kX86_64, "06 90");
  EXPECT_TRUE(data.is_data);
  EXPECT_EQ(data.length, 1U);
  EXPECT_EQ(Disassembler::open(ElfMachine::kOther, AssemblySyntax::kAtt), nullptr);
}

// Whatever the bytes are, every byte belongs to one piece.
TEST(Disassembly, CoversAnyBytesWithoutGaps) {
  std::string code;
  uint32_t state = 1;
  for (int i = 0; i < 20000; ++i) {
    state = state * 1664525 + 1013904223;
    code.push_back(static_cast<char>(state >> 24));
  }
  for (ElfMachine machine : {ElfMachine::kX86, ElfMachine::kX86_64, ElfMachine::kAarch64}) {
    auto disassembler = Disassembler::open(machine, AssemblySyntax::kAtt);
    for (size_t at = 0; at < code.size();) {
      Instruction found = disassembler->next(as_bytes(std::string_view(code).substr(at)), at);
      ASSERT_GE(found.length, 1U);
      ASSERT_LE(found.length, code.size() - at);
      ASSERT_FALSE(found.text.empty());
      at += found.length;
    }
  }
}

}  // namespace
}  // namespace wick

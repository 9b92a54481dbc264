// SPDX-License-Identifier: Apache-2.0
#include "symbolize/disassembly.h"

#include <algorithm>
#include <iterator>

#include <gtest/gtest.h>

namespace wick {
namespace {

std::string code_of(std::string_view digits) {
  std::string packed;
  std::ranges::copy_if(digits, std::back_inserter(packed), [](char c) { return c != ' '; });
  return bytes_of_hex(packed);
}

Instruction decoded(Architecture machine,
                    std::string_view digits,
                    uint64_t address = 0x1000,
                    AssemblySyntax syntax = AssemblySyntax::kAtt) {
  std::string code = code_of(digits);
  return Disassembler::open(machine, syntax)->next(as_bytes(code), address);
}

TEST(Disassembly, JumpsAndCallsHaveTargets) {
  Instruction jump = decoded(Architecture::kX86_64, "75 fe");
  EXPECT_EQ(jump.target, 0x1000U);
  EXPECT_TRUE(jump.is_jump);
  Instruction call = decoded(Architecture::kX86_64, "e8 00 01 00 00");
  EXPECT_EQ(call.target, 0x1105U);
  EXPECT_TRUE(call.is_call);
  EXPECT_FALSE(call.is_jump);
  EXPECT_FALSE(decoded(Architecture::kX86_64, "ff d0").target) << "call *%rax goes anywhere";
  EXPECT_EQ(decoded(Architecture::kX86_64, "48 8b 05 10 00 00 00").data, 0x1017U);
  Instruction loop = decoded(Architecture::kX86_64, "e2 fe");
  EXPECT_TRUE(loop.is_jump);
  EXPECT_EQ(loop.target, 0x1000U);
  EXPECT_TRUE(decoded(Architecture::kAarch64, "2208 3fd7").is_call)
      << "blraa has no name in capstone";
  Instruction branch = decoded(Architecture::kAarch64, "40000054");
  EXPECT_EQ(branch.target, 0x1008U);
  EXPECT_EQ(decoded(Architecture::kAarch64, "40001036").target, 0x1008U) << "tbz $2";
}

TEST(Disassembly, SpeaksBothDialects) {
  EXPECT_EQ(decoded(Architecture::kX86_64, "48 89 d8").text, "movq   %rbx, %rax");
  EXPECT_EQ(decoded(Architecture::kX86_64, "48 89 d8", 0, AssemblySyntax::kIntel).text,
            "mov    rax, rbx");
  EXPECT_EQ(decoded(Architecture::kX86, "40").text, "incl   %eax");
  EXPECT_EQ(decoded(Architecture::kAarch64, "c0035fd6").text, "ret");
}

TEST(Disassembly, WhatHasNoNameKeepsItsLength) {
  Instruction wide = decoded(Architecture::kX86_64, "62 a1 fe 28 6f 06 90");  // ymm16
  EXPECT_EQ(wide.length, 6U);
  EXPECT_FALSE(wide.is_data);
  Instruction newer = decoded(Architecture::kX86_64, "62 f5 7c 48 58 c8 90");
  EXPECT_TRUE(newer.is_unnamed);
  EXPECT_EQ(newer.text, ".byte  0x62,0xf5,0x7c,0x48,0x58,0xc8  (AVX-512)");
  Instruction data = decoded(Architecture::kX86_64, "06 90");
  EXPECT_TRUE(data.is_data);
  EXPECT_EQ(data.length, 1U);
  EXPECT_EQ(Disassembler::open(Architecture::kOther, AssemblySyntax::kAtt), nullptr);
}

// For any bytes, every byte belongs to exactly one entry.
TEST(Disassembly, CoversAnyBytesWithoutGaps) {
  std::string code;
  uint32_t state = 1;
  for (int i = 0; i < 20000; ++i) {
    state = state * 1664525 + 1013904223;
    code.push_back(static_cast<char>(state >> 24));
  }
  for (Architecture machine : {Architecture::kX86, Architecture::kX86_64, Architecture::kAarch64}) {
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

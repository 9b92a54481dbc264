// SPDX-License-Identifier: Apache-2.0
// Blocks of hand-written x86-64, and of a program without its file. tests/flow measures real ones.
#include "pipeline/code_blocks.h"

#include <gtest/gtest.h>

#include "profile/builder.h"

namespace wick {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kCode =
    "\x01\xF0"              // 1000 add %esi,%eax
    "\x75\x05"              // 1002 jne 1009
    "\xE8\x00\x00\x00\x00"  // 1004 call 1009
    "\x0F\x05"              // 1009 syscall
    "\xF3\xAA"              // 100b rep stos
    "\xC3"                  // 100d ret
    "\x06"sv;               // 100e not an instruction

CodeBlock measured(uint64_t begin, uint64_t end) {
  return measured_block(
      isa::InstructionSet::kX86_64, as_bytes(kCode).subspan(begin - 0x1000), begin, end);
}

TEST(CodeBlocks, InstructionsAreCountedUpToTheBranch) {
  EXPECT_EQ(measured(0x1000, 0x1002).instructions, 2U);
  EXPECT_EQ(measured(0x1000, 0x1002).exit, BlockExit::kConditionalJump);
  EXPECT_EQ(measured(0x1000, 0x1004).instructions, 3U) << "the jump was not taken";
  EXPECT_EQ(measured(0x1000, 0x1004).exit, BlockExit::kCall);
  EXPECT_EQ(measured(0x1009, 0x100D).instructions, 3U) << "system calls return";
  EXPECT_EQ(measured(0x1009, 0x100D).exit, BlockExit::kReturn);
  EXPECT_EQ(measured(0x100B, 0x100B).exit, BlockExit::kOther);
  EXPECT_EQ(measured(0x1009, 0x1009).exit, BlockExit::kSystemCall);
}

TEST(CodeBlocks, WhatCannotRunStraightIsImpossible) {
  EXPECT_EQ(measured(0x1000, 0x1009).path, BlockPath::kImpossible) << "calls are recorded";
  EXPECT_EQ(measured(0x1000, 0x1001).path, BlockPath::kImpossible) << "inside an instruction";
  EXPECT_EQ(measured(0x1000, 0x1009).instructions, 0U);
}

TEST(CodeBlocks, UnreadableCodeIsUnknown) {
  EXPECT_EQ(measured(0x100E, 0x1010).path, BlockPath::kUnknown);
  EXPECT_EQ(measured_block(isa::InstructionSet::kX86_64, {}, 0x1000, 0x1002).path,
            BlockPath::kUnknown);
}

TEST(CodeBlocks, EachPairOfNeighboursIsAddedOnce) {
  ProfileBuilder builder;
  ModuleId module = builder.module({.path = builder.string("/no/such/program")});
  auto frame = [&](uint64_t address) {
    return builder.frame({.module = module, .address = address, .mode = Mode::kUser});
  };
  EdgeId back = builder.edge({.from = frame(0x1010), .to = frame(0x1000)});
  EdgeId out = builder.edge({.from = frame(0x1008), .to = frame(0x1020)});
  Branch newest_first[] = {{out}, {back}, {back}, {out}};
  builder.branch_set(newest_first);
  builder.branch_set(newest_first);
  Profile profile = builder.finish();
  add_code_blocks(profile, {});
  add_code_blocks(profile, {});
  ASSERT_EQ(profile.code_blocks.size(), 3U);
  EXPECT_EQ(profile.code_blocks[BlockId(0)].path, BlockPath::kUnknown);     // 1000..1008
  EXPECT_EQ(profile.code_blocks[BlockId(1)].path, BlockPath::kUnknown);     // 1000..1010
  EXPECT_EQ(profile.code_blocks[BlockId(2)].path, BlockPath::kImpossible);  // 1020..1010
}

}  // namespace
}  // namespace wick

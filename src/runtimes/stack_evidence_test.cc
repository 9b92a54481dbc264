// SPDX-License-Identifier: Apache-2.0
#include "runtimes/stack_evidence.h"

#include <vector>

#include <gtest/gtest.h>

namespace wick {
namespace {

constexpr uint64_t kStack = 0x7000;
constexpr RunningFrame kInner = {.node = 0x100, .instructions = 0x2000, .instruction_bytes = 0x80};
constexpr RunningFrame kOuter = {.node = 0x140, .instructions = 0x3000, .instruction_bytes = 0x80};

// The parts of two evaluators: four words each.
bool proves_both(std::vector<uint64_t> words,
                 std::vector<uint64_t> registers = {},
                 std::vector<RunningFrame> running = {kInner, kOuter}) {
  std::vector<uint64_t> ends = {kStack + 32, kStack + 64};
  return proves({.begin = kStack,
                 .bytes = std::as_bytes(std::span(words)),
                 .registers = registers,
                 .evaluator_ends = ends},
                running);
}

TEST(StackEvidence, EachEvaluatorHasItsFrameAndAnInstruction) {
  EXPECT_TRUE(proves_both({0x100, 7, 0x2010, 9, 1, 0x3080, 3, 0x140}));
  EXPECT_TRUE(proves_both({5, 7, 8, 9, 1, 0x3000, 3, 0x140}, {0x2010, 0x100}));
  EXPECT_FALSE(proves_both({5, 7, 8, 9, 1, 0x3000, 3, 0x140}));
}

TEST(StackEvidence, AnAddressThatAnotherFunctionHasNowProvesNothing) {
  EXPECT_FALSE(proves_both({0x100, 7, 0x4010, 9, 1, 0x3080, 3, 0x140})) << "other code";
  EXPECT_FALSE(proves_both({0x180, 7, 0x2010, 9, 1, 0x3080, 3, 0x140})) << "at another depth";
  EXPECT_FALSE(proves_both({0x100, 0x140, 0x2010, 0x3000, 1, 2, 3, 4})) << "of another evaluator";
}

TEST(StackEvidence, WhatWasNotCopiedIsNotProven) {
  EXPECT_FALSE(proves_both({0x100, 7, 0x2010, 9, 1, 0x3080, 0x140}));
  EXPECT_FALSE(proves_both({0x100, 7, 0x2010, 9, 1, 0x3080, 3, 0x140}, {}, {kInner}));
  EXPECT_FALSE(proves_both({0x100, 7, 0x2010, 9, 0, 0, 0, 0}, {}, {kInner, RunningFrame()}));
}

}  // namespace
}  // namespace wick

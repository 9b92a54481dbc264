// SPDX-License-Identifier: Apache-2.0
#include "record/steal_time.h"

#include <array>

#include <gtest/gtest.h>

namespace wick::record {
namespace {

constexpr std::string_view kTwoCpus =
    "cpu  100 0 50 1000 7 1 2 48 0 0\n"
    "cpu0 60 0 20 500 3 1 1 8 0 0\n"
    "cpu1 40 0 30 500 4 0 1 40 0 0\n"
    "intr 12345 0 0\n"
    "ctxt 99\n";

TEST(StealTime, IsOfTheCpusThatTheProgramMayUse) {
  EXPECT_EQ(parse_stolen_ticks(kTwoCpus, {}), 48U);
  EXPECT_EQ(parse_stolen_ticks(kTwoCpus, std::array{1}), 40U);
  EXPECT_EQ(parse_stolen_ticks(kTwoCpus, std::array{0, 1}), 48U);
  EXPECT_EQ(parse_stolen_ticks(kTwoCpus, std::array{7}), std::nullopt);
}

TEST(StealTime, IsUnknownWithoutItsColumn) {
  EXPECT_EQ(parse_stolen_ticks("", {}), std::nullopt);
  EXPECT_EQ(parse_stolen_ticks("cpu\n", {}), std::nullopt);
  EXPECT_EQ(parse_stolen_ticks("cpu  1 2 3 4 5 6 7\n", {}), std::nullopt);
  EXPECT_EQ(parse_stolen_ticks("cpu  1 2 3 4 5 6 7 x\n", {}), std::nullopt);
  EXPECT_EQ(parse_stolen_ticks("cpu  1 2 3 4 5 6 7 8\n", {}), 8U);
  EXPECT_EQ(StealTime().seconds(), std::nullopt) << "not started";
}

}  // namespace
}  // namespace wick::record

// SPDX-License-Identifier: Apache-2.0
#include "experiment/turns.h"

#include <csignal>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace wick {
namespace {

TEST(Turns, AlternateAfterTheWarmUp) {
  record::HeldSignals signals;
  std::string order;
  Result<TurnsEnd> end = run_in_turns(
      {.sides = 2, .turns = 3, .warmups = 1}, signals, [&](const Turn& turn) -> Result<int> {
        order += turn.is_warmup ? "ab"[turn.side] : "AB"[turn.side];
        return 0;
      });
  ASSERT_TRUE(end);
  EXPECT_EQ(order, "abABBAAB");
  EXPECT_EQ(end->complete, 3U);
  EXPECT_EQ(end->stopped_by, 0);
}

TEST(Turns, DisturbedOnesAreRepeatedUntilTheLimit) {
  record::HeldSignals signals;
  std::string order;
  auto make = [&](const Turn& turn) -> Result<int> {
    order += std::to_string(turn.number) + (turn.is_rerun ? "ab" : "AB")[turn.side];
    return 0;
  };
  int asked = 0;
  auto find = [&]() -> std::vector<uint64_t> {
    return ++asked > 2 ? std::vector<uint64_t>() : std::vector<uint64_t>{1, 0};
  };
  TurnPlan plan{.sides = 2, .turns = 2, .warmups = 0, .reruns = 3};
  Result<TurnsEnd> end = run_in_turns(plan, signals, make, find);
  ASSERT_TRUE(end);
  EXPECT_EQ(order, "0A0B1B1A1b1a0a0b1b1a");
  EXPECT_EQ(end->complete, 2U);
  EXPECT_EQ(end->rerun, 3U);
}

TEST(Turns, ASignalEndsThemAndAnIncompleteTurnDoesNotCount) {
  record::HeldSignals signals;
  int runs = 0;
  Result<TurnsEnd> end = run_in_turns(
      {.sides = 2, .turns = 9, .warmups = 0}, signals, [&](const Turn& turn) -> Result<int> {
        ++runs;
        if (turn.number == 1) {
          ::kill(::getpid(), SIGTERM);  // held, so it does not end this process
        }
        return 0;
      });
  ASSERT_TRUE(end);
  EXPECT_EQ(end->stopped_by, SIGTERM);
  EXPECT_EQ(end->complete, 1U);
  EXPECT_EQ(runs, 3);
}

TEST(Turns, ARunThatWasStoppedStopsTheRest) {
  record::HeldSignals signals;
  Result<TurnsEnd> end = run_in_turns({.sides = 1, .turns = 9, .warmups = 2},
                                      signals,
                                      [](const Turn&) -> Result<int> { return SIGINT; });
  ASSERT_TRUE(end);
  EXPECT_EQ(end->stopped_by, SIGINT);
  EXPECT_EQ(end->complete, 0U);
}

TEST(Turns, AnErrorEndsThem) {
  record::HeldSignals signals;
  int runs = 0;
  Result<TurnsEnd> end = run_in_turns({.turns = 9}, signals, [&](const Turn&) -> Result<int> {
    ++runs;
    return fail("It cannot be run.");
  });
  EXPECT_FALSE(end);
  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace wick

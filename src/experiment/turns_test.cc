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

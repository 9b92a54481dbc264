// SPDX-License-Identifier: Apache-2.0
#include "experiment/paired_runs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "experiment/run_and_wait.h"
#include "experiment/run_change.h"

namespace wick {
namespace {

TEST(RunChangeTest, WhatIsNeverNegativeLosesAllOfItselfAtMost) {
  std::array<double, 3> some = {0, 1, 5};
  std::array<double, 3> none = {0, 0, 0};
  RunChange change = change_of_runs(some, none, true);
  EXPECT_EQ(change.value, -1);
  EXPECT_EQ(change.low, -1);
  std::array<double, 3> either = {-1, 2, 5};
  EXPECT_LT(change_of_runs(either, none, false).low, -1);
}

TEST(RunChangeTest, PairsCancelWhatBothRunsMeet) {
  std::array<double, 3> before = {1, 2, 1};
  std::array<double, 3> after = {1.10, 2.24, 1.11};
  EXPECT_GT(change_of_pairs(before, after, false).low, 0.08);
  EXPECT_LT(change_of_runs(before, after, false).low, 0) << "as if they were not pairs";
}

// The change is after / before - 1 of the numbers printed beside it, whatever one run did.
TEST(RunChangeTest, NumbersBelongToTheChange) {
  std::array before = {0.137, 0.138, 0.136, 0.137, 0.139, 0.136, 0.137, 0.138};
  std::array after = {0.145, 0.144, 0.143, 0.997, 0.146, 0.143, 0.145, 0.144};
  RunChange change = change_of_pairs(before, after, false);
  EXPECT_NEAR(change.value, 0.05, 0.01) << "one run of 16 took seven times as long";
  EXPECT_NEAR(change.after / change.before - 1, change.value, 1e-12);
  EXPECT_NEAR(change.before, 0.137, 0.001);
  EXPECT_GT(change.low, 0.03);
}

TEST(RunChangeTest, NumbersBelongToTheChangeForAnyRuns) {
  std::mt19937_64 random(5);
  std::lognormal_distribution<double> time(0, 1);
  std::poisson_distribution<int> count(0.7);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<double> before(1 + static_cast<size_t>(trial) % 12);
    std::vector<double> after(before.size());
    bool counts = trial % 2 == 0;
    for (std::vector<double>* side : {&before, &after}) {
      std::ranges::generate(*side, [&] { return counts ? count(random) : time(random); });
    }
    for (const RunChange& change :
         {change_of_pairs(before, after, counts), change_of_runs(before, after, counts)}) {
      if (change.before == 0) {
        EXPECT_EQ(std::isnan(change.value), change.after != 0) << "no percentage of nothing";
        EXPECT_TRUE(std::isnan(change.low));
        continue;
      }
      EXPECT_NEAR(change.after / change.before - 1, change.value, 1e-9);
      EXPECT_FALSE(change.value < change.low || change.value > change.high);
    }
  }
}

TEST(RunChangeTest, ACountThatDidNotChangeHasNoInterval) {
  std::array<double, 5> one = {1, 1, 1, 1, 1};
  RunChange change = change_of_pairs(one, one, true);
  EXPECT_EQ(change.before, 1);
  EXPECT_EQ(change.after, 1);
  EXPECT_EQ(change.value, 0);
  EXPECT_TRUE(std::isnan(change.low) && std::isnan(change.high)) << "not -77 to +341 %";
}

TEST(PairedRuns, ScatteredOnesAreNoise) {
  std::array<Pair, 4> pairs = {Pair{1, 1.10}, Pair{1, 0.91}, Pair{1, 1.05}, Pair{1, 0.97}};
  EXPECT_TRUE(compare_times(pairs).is_within_noise());
}

TEST(PairedRuns, OnePairHasNoSpread) {
  std::array<Pair, 1> pairs = {Pair{1, 3}};
  Comparison result = compare_times(pairs);
  EXPECT_NEAR(result.change.value, 2, 1e-12);
  EXPECT_TRUE(result.is_within_noise());
}

TEST(PairedRuns, ZerosDoNotCount) {
  std::array<Pair, 2> pairs = {Pair{0, 3}, Pair{2, 2}};
  EXPECT_EQ(compare_times(pairs).change.value, 0);
  EXPECT_EQ(compare_times({}).change.value, 0);
}

TEST(PairedRuns, TextSaysWhatEachNumberIs) {
  std::vector<Pair> one = {{1, 1.1}};
  EXPECT_EQ(
      time_text(one),
      "Time of the run: 1.000 s before, 1.100 s after, +10.0 %; one pair of runs does not show "
      "how certain that is.");
  std::vector<Pair> brief = {{0.0004, 0.0003}, {0.0004, 0.0003}};
  EXPECT_NE(time_text(brief).find("400.0 us before, 300.0 us after; paired change -25.0 %"),
            std::string::npos)
      << "the times do not contradict their change";
  std::vector<Pair> three = {{1, 1.1}, {2, 2.2}, {3, 3.3}};
  EXPECT_NE(time_text(three).find("s after; paired change +10.0 %"), std::string::npos);
}

TEST(RunAndWait, BuildsNeitherReadOurInputNorWriteToOurOutput) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  record::HeldSignals signals;
  Result<MeasuredRun> run = run_build("echo built; read line && exit 5; exit 0", "", signals);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "built\n");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->status, 0) << "it found something to read";
}

}  // namespace
}  // namespace wick

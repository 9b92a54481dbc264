#include "experiment/paired_runs.h"

#include <array>
#include <cmath>
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

TEST(PairedRunsTest, SteadySlowDownIsNoNoise) {
  std::array<Pair, 3> pairs = {Pair{1, 1.10}, Pair{2, 2.24}, Pair{1, 1.11}};
  Comparison result = compare_pairs(pairs);
  EXPECT_NEAR(result.ratio, 1.11, 0.001);
  EXPECT_FALSE(result.is_within_noise());
  EXPECT_GT(result.low, 1.08);
  EXPECT_LT(result.high, 1.14);
}

TEST(PairedRunsTest, ScatteredOnesAreNoise) {
  std::array<Pair, 4> pairs = {Pair{1, 1.10}, Pair{1, 0.91}, Pair{1, 1.05}, Pair{1, 0.97}};
  EXPECT_TRUE(compare_pairs(pairs).is_within_noise());
}

TEST(PairedRunsTest, IntervalIsStudents) {
  // Logarithms 0 and 0.2: mean 0.1, standard error 0.1, t of one degree 12.7062.
  std::array<Pair, 2> pairs = {Pair{1, 1}, Pair{1, std::exp(0.2)}};
  Comparison result = compare_pairs(pairs);
  EXPECT_NEAR(std::log(result.high), 0.1 + 1.2706205, 1e-6);
  EXPECT_NEAR(std::log(result.low), 0.1 - 1.2706205, 1e-6);
}

TEST(PairedRunsTest, OnePairTellsNothingOfItsSpread) {
  std::array<Pair, 1> pairs = {Pair{1, 3}};
  Comparison result = compare_pairs(pairs);
  EXPECT_DOUBLE_EQ(result.ratio, 3);
  EXPECT_TRUE(result.is_within_noise());
}

TEST(PairedRunsTest, ZerosDoNotCount) {
  std::array<Pair, 2> pairs = {Pair{0, 3}, Pair{2, 2}};
  EXPECT_EQ(compare_pairs(pairs).ratio, 1);
  EXPECT_EQ(compare_pairs({}).ratio, 1);
}

TEST(PairedRuns, TextSaysWhatEachNumberIs) {
  std::vector<Pair> one = {{1, 1.1}};
  EXPECT_EQ(
      time_text(one),
      "Time of the run: 1.000 s before, 1.100 s after, +10.0 %; one pair of runs does not show "
      "how certain that is.");
  std::vector<Pair> two = {{1, 1.1}, {2, 2.2}, {3, 3.3}};
  EXPECT_NE(time_text(two).find("s after; mean paired change +10.0 %"), std::string::npos);
}

TEST(RunAndWait, BuildsNeitherReadOurInputNorWriteToOurOutput) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  int status = run_shell_line("echo built; read line && exit 5; exit 0");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "built\n");
  EXPECT_EQ(status, 0) << "it found something to read";
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Checks the promises of docs/statistics.md by simulation: intervals cover, comparisons of equal
// programs report nothing, and planted changes are found as often as the plan says.
//
// The random numbers have fixed seeds, so a result never changes from run to run. Formulas are also
// compared with printed tables and with the examples of the papers they come from.
#include "base/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "base/distributions.h"

namespace wick {
namespace {

using Random = std::mt19937_64;

TEST(Distributions, AgreeWithPrintedTables) {
  EXPECT_NEAR(normal_deviate(0.05), kNormal95, 1e-9);
  EXPECT_NEAR(normal_two_sided(5), 5.733031437583866e-07, 1e-15);
  EXPECT_NEAR(student_deviate(0.05, 1), 12.7062047364, 1e-6);
  EXPECT_NEAR(student_deviate(0.05, 4), 2.7764451052, 1e-8);
  EXPECT_NEAR(student_deviate(0.001, 8), 5.0413054334, 1e-7);
  EXPECT_NEAR(student_deviate(0.01, 30), 2.7499956536, 1e-8);
  EXPECT_NEAR(student_two_sided(2.5, 7.3), 0.0396502346656, 1e-11);
  EXPECT_NEAR(incomplete_beta(2, 3, 0.4), 0.5248, 1e-12);
  EXPECT_NEAR(incomplete_beta(500, 700, 0.4), 0.12051628908943, 1e-11);
}

TEST(Statistics, HolmIsTheTextbookExample) {
  std::vector<double> corrected = holm(std::vector<double>{0.01, 0.04, 0.03, 0.005});
  ASSERT_EQ(corrected.size(), 4U);
  EXPECT_NEAR(corrected[0], 0.03, 1e-12);
  EXPECT_NEAR(corrected[1], 0.06, 1e-12);
  EXPECT_NEAR(corrected[2], 0.06, 1e-12);
  EXPECT_NEAR(corrected[3], 0.02, 1e-12);
  EXPECT_TRUE(holm({}).empty());
}

// Newcombe 1998, table II: 56/70 against 48/80, method 10 gives 0.0524 to 0.3339 for the
// difference.
TEST(Statistics, DifferenceOfSharesIsNewcombes) {
  Sampled after{.count = 56, .samples = 70, .unit = 1.0 / 70};
  Sampled before{.count = 48, .samples = 80, .unit = 1.0 / 80};
  Difference difference = compare_sampled(before, after);
  EXPECT_NEAR(difference.change, 0.2, 1e-12);
  EXPECT_NEAR(difference.low, 0.0524, 1e-4);
  EXPECT_NEAR(difference.high, 0.3339, 1e-4);
  EXPECT_LT(difference.probability, 0.05);
}

TEST(Statistics, FewSamplesAreJudgedExactly) {
  // Ten of ten samples on one side: twice a half to the tenth.
  Sampled none{.count = 0, .samples = 1e6, .unit = 1e-6};
  Sampled ten{.count = 10, .samples = 1e6, .unit = 1e-6};
  EXPECT_NEAR(compare_sampled(none, ten).probability, 2 * std::pow(0.5, 10), 1e-9);
  EXPECT_NEAR(compare_sampled(ten, none).probability, 2 * std::pow(0.5, 10), 1e-9);
  EXPECT_EQ(compare_sampled(none, none).probability, 1);
  // If both sides have all samples there is no difference, whatever the numbers.
  Sampled all{.count = 1e6, .samples = 1e6, .unit = 1e-6};
  EXPECT_EQ(compare_sampled(all, all).probability, 1);
  EXPECT_EQ(compare_sampled(all, all).change, 0);
  Sampled all_but_ten{.count = 1e6 - 10, .samples = 1e6, .unit = 1e-6};
  EXPECT_NEAR(compare_sampled(all, all_but_ten).probability, 2 * std::pow(0.5, 10), 1e-6);
}

TEST(Statistics, ShareIntervalsOfDifferencesCover) {
  Random random(1);
  constexpr int kTrials = 4000;
  for (double share : {0.002, 0.05, 0.5, 0.97}) {
    int covered = 0;
    std::binomial_distribution<int> first(2000, share);
    std::binomial_distribution<int> second(5000, share * 1.02);
    for (int i = 0; i < kTrials; ++i) {
      Sampled before{.count = double(first(random)), .samples = 2000, .unit = 1.0 / 2000};
      Sampled after{.count = double(second(random)), .samples = 5000, .unit = 1.0 / 5000};
      Difference difference = compare_sampled(before, after);
      covered += difference.low <= share * 0.02 && share * 0.02 <= difference.high ? 1 : 0;
    }
    EXPECT_GT(covered, 0.94 * kTrials) << share;
    EXPECT_LT(covered, 0.995 * kTrials) << share;
  }
}

// Two profiles of one program: how often is any of its functions flagged after the correction?
TEST(Statistics, ComparingAProgramWithItselfFlagsNothing) {
  Random random(2);
  std::vector<double> shares;
  for (int i = 0; i < 60; ++i) {
    shares.push_back(0.2 * std::pow(0.87, i));
  }
  constexpr int kTrials = 1000;
  for (double ratio : {1.0, 7.0}) {
    int flagged = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<double> probabilities;
      for (double share : shares) {
        double first = 3000;
        double second = 3000 * ratio;
        Sampled before{.count = double(std::binomial_distribution<int>(int(first), share)(random)),
                       .samples = first,
                       .unit = 1 / first};
        Sampled after{.count = double(std::binomial_distribution<int>(int(second), share)(random)),
                      .samples = second,
                      .unit = 1 / second};
        probabilities.push_back(compare_sampled(before, after).probability);
      }
      std::vector<double> corrected = holm(probabilities);
      flagged += std::ranges::any_of(corrected, [](double p) { return p < 0.05; }) ? 1 : 0;
    }
    EXPECT_LE(flagged, 0.05 * kTrials) << ratio;
    EXPECT_GE(flagged, 0.005 * kTrials) << "the test has no power left: " << ratio;
  }
}

// With as many samples as the plan asks for, the change is found as often as the plan promises.
TEST(Statistics, PlannedSamplesFindThePlantedChange) {
  Random random(3);
  constexpr double kShare = 0.1;
  PlanFor plan{.comparisons = 40};
  // The error of one sample on each side.
  Difference one{.error = std::sqrt(2 * kShare * (1 - kShare))};
  double samples = std::ceil(times_as_long(one, 0.05 * kShare, plan));
  int found = 0;
  constexpr int kTrials = 1000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::binomial_distribution<int> first(int(samples), kShare);
    std::binomial_distribution<int> second(int(samples), 1.05 * kShare);
    Sampled before{.count = double(first(random)), .samples = samples, .unit = 1 / samples};
    Sampled after{.count = double(second(random)), .samples = samples, .unit = 1 / samples};
    found += compare_sampled(before, after).probability < plan.level / plan.comparisons ? 1 : 0;
  }
  EXPECT_GT(found, 0.76 * kTrials);
  EXPECT_LT(found, 0.84 * kTrials);
}

std::vector<double> runs_of(Random& random, size_t count, double centre, double spread) {
  std::normal_distribution<double> draw(centre, spread);
  std::vector<double> values(count);
  std::ranges::generate(values, [&] { return draw(random); });
  return values;
}

// A few runs give a poor estimate of their spread, so the plan asks for more runs than the normal
// distribution would.
TEST(Statistics, PlannedRunsFindThePlantedChange) {
  Random random(5);
  PlanFor plan{.comparisons = 40};
  // Two runs on each side with a spread of 1; looks for a change of 3.
  Difference two{.error = 1, .degrees = 2};
  auto runs = static_cast<size_t>(runs_needed(two, 2, 3, plan));
  int found = 0;
  constexpr int kTrials = 1000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> before = runs_of(random, runs, 10, 1);
    std::vector<double> after = runs_of(random, runs, 13, 1);
    Difference difference = compare_runs({.values = before}, {.values = after});
    found += difference.probability < plan.level / plan.comparisons ? 1 : 0;
  }
  EXPECT_GT(found, 0.76 * kTrials) << runs;
  EXPECT_LT(found, 0.97 * kTrials) << runs;
  EXPECT_GT(detectable_change(two, plan), 10) << "with two runs a side";
}

TEST(Statistics, SpreadBetweenRunsDecides) {
  Random random(4);
  constexpr int kTrials = 2000;
  for (size_t runs : {2U, 3U, 10U}) {
    int flagged = 0;
    int covered = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<double> before = runs_of(random, runs, 1, 0.05);
      std::vector<double> after = runs_of(random, runs, 1, 0.15);
      Difference difference = compare_runs({.values = before}, {.values = after});
      flagged += difference.probability < 0.05 ? 1 : 0;
      covered += difference.low <= 0 && 0 <= difference.high ? 1 : 0;
    }
    EXPECT_LE(flagged, 0.065 * kTrials) << runs;
    EXPECT_EQ(covered, kTrials - flagged) << "interval and test disagree";
  }
}

// Runs of a side that are disturbed now and then, the other kinds of noise of runs, and sides of
// different length: evidence in at most one of twenty.
TEST(CompareRuns, KeepsItsLevel) {
  Random random(17);
  std::normal_distribution<double> normal;
  std::lognormal_distribution<double> skewed(0, 0.5);
  std::bernoulli_distribution disturbed(0.1);
  std::vector<std::function<double()>> noises = {
      [&] { return normal(random); },
      [&] { return skewed(random); },
      [&] { return normal(random) + (disturbed(random) ? 20 : 0); }};
  struct Sizes {
    size_t before;
    size_t after;
  };
  constexpr int kTrials = 4000;
  for (size_t kind = 0; kind < noises.size(); ++kind) {
    for (Sizes sizes : {Sizes{3, 3}, {5, 5}, {6, 6}, {10, 10}, {20, 20}, {5, 10}, {1, 10}}) {
      int flagged = 0;
      std::vector<double> before(sizes.before);
      std::vector<double> after(sizes.after);
      for (int trial = 0; trial < kTrials; ++trial) {
        std::ranges::generate(before, noises[kind]);
        std::ranges::generate(after, noises[kind]);
        bool is_flagged = compare_runs({.values = before}, {.values = after}).probability < kLevel;
        flagged += is_flagged ? 1 : 0;
      }
      // A single run that is disturbed cannot be distinguished from a change.
      bool single = sizes.before == 1 && kind > 0;
      EXPECT_LT(flagged, (single ? 0.12 : 0.06) * kTrials)
          << kind << ": " << sizes.before << " and " << sizes.after;
    }
  }
}

TEST(CompareRuns, OneRunOfFiveDoesNotDecide) {
  std::vector<double> before = {1.00, 1.01, 0.99, 1.02, 0.98};
  std::vector<double> after = {1.20, 1.21, 1.19, 1.22, 1.18};
  Difference without = compare_runs({.values = before}, {.values = after});
  after[2] = 9;
  Difference with = compare_runs({.values = before}, {.values = after});
  EXPECT_NEAR(with.change, without.change, 0.02);
  EXPECT_LT(with.probability, 0.001);
  EXPECT_GT(with.low, 0.1);
  // Four runs have nothing to leave out: Welch's test, with its printed example's arithmetic.
  std::vector<double> few = {1, 2, 3, 4};
  std::vector<double> more = {3, 4, 5, 6};
  Difference welch = compare_runs({.values = few}, {.values = more});
  EXPECT_NEAR(welch.error, std::sqrt(2 * (5.0 / 3) / 4), 1e-12);
  EXPECT_NEAR(welch.degrees, 6, 1e-9);
}

TEST(Statistics, ALoneRunBorrowsTheOthersSpread) {
  std::vector<double> one = {1.5};
  std::vector<double> many = {1, 1.1, 0.9, 1.05, 0.95};
  Difference difference = compare_runs({.values = many}, {.values = one});
  EXPECT_NEAR(difference.change, 0.5, 1e-12);
  EXPECT_LT(difference.probability, 0.06);
  EXPECT_LT(difference.low, 0.5 - 2.7 * 0.079);
  difference = compare_runs({.values = std::span(many).first(4)}, {.values = one});
  EXPECT_LT(difference.probability, 0.02) << "Student's";
}

TEST(Statistics, SpreadBelowSamplingNoiseIsNotBelieved) {
  // Two runs that agree to the last digit by luck, which some of a hundred functions do.
  std::vector<double> before = {100, 100};
  std::vector<double> after = {104, 104};
  EXPECT_EQ(compare_runs({.values = before}, {.values = after}).probability, 0);
  EXPECT_GT(
      compare_runs({.values = before, .noise = 100}, {.values = after, .noise = 100}).probability,
      0.5);
}

double share_effect_of(const std::vector<double>& counts, double in_each) {
  std::vector<double> all(counts.size(), in_each);
  Clustering clustering;
  double total = 0;
  for (uint32_t i = 0; i < counts.size(); ++i) {
    total += counts[i];
    if (counts[i] > 0) {
      clustering.add(i, counts[i], all);
    }
  }
  clustering.finish(all);
  return clustering.share_effect(total / (in_each * double(counts.size())), all);
}

TEST(Statistics, BurstsAreWorthFewerSamples) {
  Random random(5);
  constexpr int kBlocks = 400;
  constexpr double kInEach = 100;
  std::vector<double> independent;
  std::vector<double> bursts;
  std::vector<double> phases;
  for (int i = 0; i < kBlocks; ++i) {
    independent.push_back(std::binomial_distribution<int>(int(kInEach), 0.2)(random));
    bursts.push_back(10 * std::binomial_distribution<int>(int(kInEach) / 10, 0.2)(random));
    phases.push_back(
        std::binomial_distribution<int>(int(kInEach), i < kBlocks / 2 ? 0.1 : 0.3)(random));
  }
  EXPECT_NEAR(share_effect_of(independent, kInEach), 1, 0.15);
  EXPECT_NEAR(share_effect_of(bursts, kInEach), 10, 2);
  // A phase of the program is not a burst: it comes again in the next run.
  EXPECT_NEAR(share_effect_of(phases, kInEach), 1, 0.2);
  EXPECT_EQ(share_effect_of({}, kInEach), 1);
}

// The caller skips empty blocks; they must count nevertheless.
TEST(Statistics, SparseBlocksCount) {
  std::vector<double> counts(100, 0.0);
  counts[3] = counts[50] = counts[51] = counts[99] = 20;
  std::vector<double> all(100, 100.0);
  Clustering clustering;
  for (uint32_t block : {3U, 50U, 51U, 99U}) {
    clustering.add(block, 20, all);
  }
  clustering.finish(all);
  // Five steps of 20 up or down (51 follows 50, 99 is the last), computed by hand.
  double expected = 5 * 400.0 / (2 * 99) / (80.0 / 100);
  EXPECT_NEAR(clustering.count_effect(all), expected, 1e-9);
}

TEST(Statistics, SummaryOfRuns) {
  RunSummary one = summarise_runs(std::vector<double>{3});
  EXPECT_EQ(one.median, 3);
  EXPECT_TRUE(std::isnan(one.low) && std::isnan(one.high) && std::isnan(one.deviation));
  // Student's interval by hand: mean 2, deviation 1, t of two degrees 4.3027.
  RunSummary three = summarise_runs(std::vector<double>{3, 1, 2});
  EXPECT_EQ(three.median, 2);
  EXPECT_NEAR(three.deviation, 1, 1e-12);
  EXPECT_NEAR(three.high, 2 + 4.30265 / std::sqrt(3.0), 1e-4);
  // Ranks from printed tables: 2 and 9 of ten, 6 and 15 of twenty.
  std::vector<double> values;
  for (int i = 1; i <= 20; ++i) {
    values.push_back(i);
  }
  EXPECT_EQ(summarise_runs(std::vector<double>{0, 1, 5}).low, 0) << "never below what can be";
  EXPECT_LT(summarise_runs(std::vector<double>{-1, 1, 5}).low, -1);
  EXPECT_EQ(summarise_runs(std::span(values).first(10)).low, 2);
  EXPECT_EQ(summarise_runs(std::span(values).first(10)).high, 9);
  EXPECT_EQ(summarise_runs(values).low, 6);
  EXPECT_EQ(summarise_runs(values).high, 15);
}

// Times have a long tail to the right: the median's interval must cover them, too.
TEST(Statistics, SummaryOfRunsCovers) {
  Random random(11);
  constexpr int kTrials = 4000;
  for (size_t runs : {3U, 5U, 6U, 10U, 30U}) {
    int skewed = 0;
    int normal = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<double> times(runs);
      std::vector<double> normals(runs);
      for (size_t i = 0; i < runs; ++i) {
        times[i] = std::lognormal_distribution<double>(0, 0.3)(random);
        normals[i] = std::normal_distribution<double>(10, 1)(random);
      }
      RunSummary of_times = summarise_runs(times);
      RunSummary of_normals = summarise_runs(normals);
      skewed += of_times.low <= 1 && of_times.high >= 1 ? 1 : 0;
      normal += of_normals.low <= 10 && of_normals.high >= 10 ? 1 : 0;
    }
    EXPECT_GT(skewed, 0.94 * kTrials) << runs;
    EXPECT_GT(normal, 0.94 * kTrials) << runs;
  }
}

// ---- Pairs --------------------------------------------------------------------------------------

TEST(ComparePairs, FewPairsAreStudents) {
  // 0 and 0.2: mean 0.1, standard error 0.1, t of one degree 12.7062.
  std::array<double, 2> two = {0, 0.2};
  Difference difference = compare_pairs(two);
  EXPECT_NEAR(difference.change, 0.1, 1e-12);
  EXPECT_NEAR(difference.low, 0.1 - 1.2706205, 1e-6);
  EXPECT_NEAR(difference.high, 0.1 + 1.2706205, 1e-6);
}

TEST(ComparePairs, FromFiveOnTheLastFifthOnEachSideIsTrimmed) {
  // Left: 2, 3, 4. Winsorized: 2, 2, 3, 4, 4, with squares of 4; error sqrt(4 / 6) * 1.2; t of two
  // degrees 4.302653.
  std::array<double, 5> five = {100, 3, 1, 4, 2};
  Difference difference = compare_pairs(five);
  EXPECT_NEAR(difference.change, 3, 1e-12);
  EXPECT_NEAR(difference.error, 0.9797959, 1e-6);
  EXPECT_NEAR(difference.high, 3 + 4.302653 * 0.9797959, 1e-5);
  EXPECT_NEAR(difference.probability, 0.0920, 2e-4);
}

TEST(ComparePairs, ThePairsThatCountAreThoseBetweenTheEnds) {
  EXPECT_EQ(pairs_that_count(std::array<double, 5>{100, 3, 1, 4, 2}),
            (std::vector<size_t>{1, 3, 4}));
  EXPECT_EQ(pairs_that_count(std::array<double, 3>{100, 3, 1}), (std::vector<size_t>{0, 1, 2}));
}

TEST(FarFromOthers, IsWhatIsFarAndUnusual) {
  using Far = std::vector<bool>;
  EXPECT_EQ(far_from_others(std::array{0.14, 0.141, 0.139, 0.997, 0.14}),
            (Far{false, false, false, true, false}));
  EXPECT_EQ(far_from_others(std::array{0.14, 0.02, 0.139, 0.14, 0.141}),
            (Far{false, true, false, false, false}))
      << "too short is far, too";
  EXPECT_EQ(far_from_others(std::array{1.0, 1.0, 1.0, 1.2}), Far(4, false))
      << "less than a quarter";
  EXPECT_EQ(far_from_others(std::array{1.0, 1.5, 2.0, 2.5, 3.0}), Far(5, false)) << "usual here";
  EXPECT_EQ(far_from_others(std::array{1.0, 9.0}), Far(2, false)) << "which one is it?";
  Far two_of_eleven(11, false);
  two_of_eleven[3] = two_of_eleven[8] = true;
  EXPECT_EQ(far_from_others(std::array{13., 26., 30., 221., 26., 43., 29., 37., 227., 21., 25.}),
            two_of_eleven)
      << "the others vary by a factor of three on a busy machine";
  EXPECT_EQ(far_from_others(std::array{0.0, 1.0, 1.0, 9.0}), Far(4, false));
}

TEST(ComparePairs, IntervalAndProbabilityAgree) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0.5, 1);
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<double> differences(2 + static_cast<size_t>(trial) % 14);
    std::ranges::generate(differences, [&] { return normal(random); });
    Difference difference = compare_pairs(differences);
    bool without_zero = difference.low > 0 || difference.high < 0;
    EXPECT_EQ(without_zero, difference.probability < kLevel);
  }
}

TEST(ComparePairs, TiesAndSingleOnes) {
  EXPECT_EQ(compare_pairs(std::array<double, 5>{0, 0, 0, 0, 0}).probability, 1);
  EXPECT_EQ(compare_pairs(std::array<double, 5>{2, 2, 2, 2, 2}).probability, 0);
  // A count that is one more in each pair is not evidence where chance moves it by one.
  EXPECT_GT(compare_pairs(std::array<double, 3>{1, 1, 1}, 2).probability, 0.05);
  // All that is left after trimming is equal: the spread of all counts.
  Difference mostly = compare_pairs(std::array<double, 5>{2, 2, 2, 2, -8});
  EXPECT_GT(mostly.probability, 0.05);
  Difference one = compare_pairs(std::array<double, 1>{3});
  EXPECT_EQ(one.change, 3);
  EXPECT_TRUE(std::isnan(one.low));
  EXPECT_EQ(one.probability, 1);
}

// Equal sides, by noise of several kinds: evidence in at most one of twenty.
TEST(ComparePairs, KeepsItsLevel) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  std::lognormal_distribution<double> skewed(0, 1);
  std::bernoulli_distribution disturbed(0.1);
  std::vector<std::function<double()>> noises = {
      [&] { return normal(random); },
      [&] { return skewed(random) - skewed(random); },
      [&] { return normal(random) * (disturbed(random) ? 10 : 1); }};
  constexpr int kTrials = 4000;
  for (const std::function<double()>& noise : noises) {
    for (size_t pairs : {5U, 6U, 10U, 20U}) {
      int flagged = 0;
      std::vector<double> differences(pairs);
      for (int trial = 0; trial < kTrials; ++trial) {
        std::ranges::generate(differences, noise);
        flagged += compare_pairs(differences).probability < kLevel ? 1 : 0;
      }
      EXPECT_LT(flagged, 0.056 * kTrials) << pairs;
    }
  }
}

}  // namespace
}  // namespace wick

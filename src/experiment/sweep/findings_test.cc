// SPDX-License-Identifier: Apache-2.0
// From points to fits, ranks and JSON; from a profile to its shares.
#include "experiment/sweep/findings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "base/json.h"
#include "experiment/sweep/json.h"
#include "formats/folded/folded.h"

namespace wick {
namespace {

// Throughput over 1, 2, 4 and 8 threads of two engines: "free" is linear; in "locked" half of the
// work waits.
Sweep two_engines() {
  Sweep sweep{.name = "engines", .directory = "out"};
  sweep.axes = {
      {.name = "engine", .values = {"free", "locked"}},
      {.name = "threads", .log = true, .values = {"1", "2", "4", "8"}, .numbers = {1, 2, 4, 8}}};
  sweep.metrics = {{.name = "wall", .unit = "s"},
                   {.name = "throughput", .unit = "1/s", .more_is_better = true}};
  sweep.cpus = 4;
  uint32_t id = 1;
  for (size_t engine : {0U, 1U}) {
    for (size_t i = 0; i < 4; ++i) {
      double n = sweep.axes[1].numbers[i];
      double rate = engine == 0 ? 100 * n : 100 * n / (1 + 0.5 * (n - 1));
      SweepNumber of{.median = {rate, rate, rate}, .values = {rate * 0.99, rate, rate * 1.01}};
      SweepPoint point{.id = id++, .values = {engine, i}};
      point.metrics = {SweepNumber{.median = {1 / rate, 0, std::numeric_limits<double>::infinity()},
                                   .values = {1 / rate}},
                       of};
      sweep.points.push_back(std::move(point));
    }
  }
  return sweep;
}

Json json_of(const Sweep& sweep, const Sweep* other) {
  std::string text;
  Output out = Output::to_text(text);
  write_sweep_json(sweep, other, out);
  EXPECT_TRUE(out.finish());
  EXPECT_EQ(text.find('<'), std::string::npos);
  Result<Json> json = parse_json(text);
  EXPECT_TRUE(json);
  return *std::move(json);
}

TEST(SweepFindings, EachLineOfPointsIsFitted) {
  Sweep sweep = two_engines();
  find_scaling(sweep, {});
  ASSERT_EQ(sweep.fits.size(), 2U);  // throughput only, along threads only
  EXPECT_EQ(sweep.fits[0].fit.verdict, ScalingVerdict::kLinear);
  EXPECT_EQ(sweep.fits[1].fit.verdict, ScalingVerdict::kContention);
  EXPECT_EQ(sweep.fits[1].rest[0], 1U);
  EXPECT_NEAR(sweep.fits[1].fit.sigma->value, 0.5, 0.02);
  // More threads than CPUs.
  ASSERT_FALSE(sweep.fits[1].fit.notes.empty());
  EXPECT_NE(sweep.fits[1].fit.notes.back().find("on 4 CPUs"), std::string::npos);
  // The worst is the locked engine with eight threads.
  ASSERT_EQ(sweep.ranking.size(), 8U);
  EXPECT_EQ(sweep.ranking[0].point, 8U);
  EXPECT_EQ(sweep.ranking[0].fit, 1U);
  EXPECT_NEAR(sweep.ranking[0].efficiency.value, 1 / 4.5, 0.01);
}

// Twenty lines of points that are linear, except for the noise of runs.
TEST(SweepFindings, ManyFitsAreCorrectedForTheirNumber) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 0.03);
  int alone = 0;
  int together = 0;
  for (int trial = 0; trial < 60; ++trial) {
    Sweep sweep = two_engines();
    sweep.axes[0].values.resize(20, "v");
    sweep.points.clear();
    for (size_t engine = 0; engine < 20; ++engine) {
      for (size_t i = 0; i < 4; ++i) {
        SweepNumber of;
        for (int repeat = 0; repeat < 3; ++repeat) {
          of.values.push_back(100 * sweep.axes[1].numbers[i] * std::exp(noise(random)));
        }
        SweepPoint point{.id = static_cast<uint32_t>(sweep.points.size() + 1),
                         .values = {engine, i}};
        point.metrics = {std::nullopt, of};
        sweep.points.push_back(std::move(point));
      }
    }
    find_scaling(sweep, {});
    ASSERT_EQ(sweep.fits.size(), 20U);
    alone += std::ranges::any_of(sweep.fits,
                                 [](const SweepFit& fit) { return fit.fit.probability < 0.05; });
    together += std::ranges::any_of(sweep.fits, [](const SweepFit& fit) {
      return fit.fit.verdict != ScalingVerdict::kLinear &&
             fit.fit.verdict != ScalingVerdict::kDoesNotFit;
    });
  }
  EXPECT_GE(alone, 15) << "each by itself at 5 %";
  EXPECT_LE(together, 6);
}

// Fifty more engines with one point each are fifty lines without a fit.
TEST(SweepFindings, LinesThatCannotBeFittedCostTheOthersNothing) {
  Sweep sweep = two_engines();
  for (size_t i = 0; i < 4; ++i) {
    double n = sweep.axes[1].numbers[i];
    double rate = 100 * n / (1 + 0.006 * (n - 1));
    sweep.points[4 + i].metrics[1]->values = {rate * 0.98, rate, rate * 1.02};
  }
  sweep.axes[0].values.resize(52, "v");
  for (size_t engine = 2; engine < 52; ++engine) {
    SweepPoint point = sweep.points[0];
    point.id = static_cast<uint32_t>(sweep.points.size() + 1);
    point.values[0] = engine;
    sweep.points.push_back(std::move(point));
  }
  find_scaling(sweep, {});
  ASSERT_EQ(sweep.fits.size(), 52U);
  double probability = sweep.fits[1].fit.probability;
  EXPECT_GT(probability, 0.05 / 52) << "too clear to show anything";
  EXPECT_LT(probability, 0.05 / 2) << "not clear enough";
  EXPECT_EQ(sweep.fits[1].fit.verdict, ScalingVerdict::kUnclear);
}

TEST(SweepFindings, ACeilingAtTheNumberOfCpusIsSaid) {
  Sweep sweep = two_engines();
  for (SweepPoint& point : sweep.points) {
    double rate = 100 * std::min(4.0, sweep.axes[1].numbers[point.values[1]]);
    point.metrics[1]->values = {rate * 0.99, rate, rate * 1.01};
  }
  sweep.axes[1].numbers = {1, 2, 4, 8};
  find_scaling(sweep, {});
  ASSERT_EQ(sweep.fits[0].fit.verdict, ScalingVerdict::kSaturation) << sweep.fits[0].fit.summary;
  EXPECT_NE(sweep.fits[0].fit.notes.back().find("4 CPUs are usable here"), std::string::npos);
  Json json = json_of(sweep, nullptr);
  EXPECT_NEAR(json.at("fits.0.ceiling")->number_at("value", 0), 400, 20);
  EXPECT_EQ(json.at("fits.0")->find("sigma"), nullptr);
}

TEST(SweepFindings, FailedPointsAndOtherThroughputs) {
  Sweep sweep = two_engines();
  sweep.points[7].status = "failed";
  sweep.points[6].metrics[0].reset();
  std::vector<ScalingRequest> asked = {{0, 1, ThroughputAs::kInverse}, {0, 1, ThroughputAs::kPerN}};
  find_scaling(sweep, asked);
  ASSERT_EQ(sweep.fits.size(), 4U);
  EXPECT_EQ(sweep.fits[0].fit.verdict, ScalingVerdict::kLinear);
  EXPECT_NE(sweep.fits[0].fit.notes[1].find("1 / wall"), std::string::npos);
  EXPECT_EQ(sweep.fits[1].fit.verdict, ScalingVerdict::kNotFitted);  // two points are left
  EXPECT_GT(sweep.fits[2].fit.lambda.value, 0);
}

TEST(SweepFindings, TimesAreFittedWhereThereIsNoThroughput) {
  Sweep sweep = two_engines();
  sweep.metrics[1].more_is_better = false;
  find_scaling(sweep, {});
  ASSERT_EQ(sweep.fits.size(), 2U);
  EXPECT_EQ(sweep.fits[0].of.as, ThroughputAs::kInverse);
}

// "n" may be the size of the work; then 1 / wall is not a throughput.
TEST(SweepFindings, AGuessIsReportedAsOne) {
  Sweep sweep = two_engines();
  find_scaling(sweep, {});
  EXPECT_EQ(sweep.fits[1].fit.summary.rfind("Contention:", 0), 0U) << sweep.fits[1].fit.summary;
  sweep.fits.clear();
  sweep.axes[1].name = "n";
  find_scaling(sweep, {});
  ASSERT_EQ(sweep.fits.size(), 2U);
  EXPECT_EQ(sweep.fits[1].fit.summary.rfind("If n is a number of workers: Contention:", 0), 0U)
      << sweep.fits[1].fit.summary;
  sweep.fits.clear();
  sweep.metrics[1].more_is_better = false;
  for (SweepPoint& point : sweep.points) {
    double wall = sweep.axes[1].numbers[point.values[1]];
    point.metrics[0] = SweepNumber{.median = {wall, wall, wall}, .values = {wall, wall, wall}};
  }
  find_scaling(sweep, {});
  EXPECT_TRUE(sweep.fits.empty()) << "more work takes longer: nothing scales";
  find_scaling(sweep, std::array{ScalingRequest{0, 1, ThroughputAs::kInverse}});
  EXPECT_EQ(sweep.fits.size(), 2U) << "what is asked for is done";
}

TEST(SweepFindings, LinksLeadFromWhereThePageIs) {
  Sweep sweep = two_engines();
  sweep.directory = "results/first";
  sweep.points[0].profile_page = "profiles/point-1.html";
  link_profiles_from("results/pages/both.html", sweep);
  EXPECT_EQ(sweep.points[0].profile_page, "../first/profiles/point-1.html");
  EXPECT_EQ(sweep.points[1].profile_page, "");
}

TEST(SweepFindings, ProfilesBecomeShares) {
  Profile profile = folded::from_text("main;crc32 60\nmain;log;vsnprintf 30\nmain 10\n");
  Result<std::vector<Area>> areas = parse_areas("crc = crc\nlog = ^log$\n", "areas");
  ASSERT_TRUE(areas);
  SweepCost cost = cost_of_profile(profile, *areas);
  EXPECT_EQ(cost.samples, 100);
  EXPECT_EQ(cost.unit, "samples");
  ASSERT_EQ(cost.areas.size(), 2U);
  EXPECT_NEAR(cost.areas[0].value, 0.6, 1e-12);
  EXPECT_LT(cost.areas[0].low, 0.55);
  EXPECT_NEAR(cost.areas[1].value, 0.3, 1e-12);
  ASSERT_EQ(cost.functions.size(), 4U);
  EXPECT_EQ(cost.functions[0].name, "crc32");
  EXPECT_NEAR(cost.functions[0].self, 0.6, 1e-12);
  EXPECT_EQ(cost.functions.back().name, "log");
  EXPECT_EQ(cost.functions.back().self, 0);
  EXPECT_EQ(cost.least_self, 0);
}

TEST(SweepFindings, OnlyTheLargestFunctionsAreKept) {
  std::string text;
  for (int i = 1; i <= 500; ++i) {
    text += fmt::format("main;f{} {}\n", i, i);
  }
  SweepCost cost = cost_of_profile(folded::from_text(text), {});
  EXPECT_EQ(cost.functions.size(), 201U);  // and main, because of its total
  EXPECT_NEAR(cost.least_self, 300.0 / (500 * 501 / 2), 1e-12);
}

TEST(SweepJson, HasWhatTheFormatSays) {
  Sweep sweep = two_engines();
  find_scaling(sweep, {});
  sweep.points[0].failed_checks = {"</script>"};
  sweep.points[0].profile = "profiles/point-1.wick";
  sweep.areas = {"crc"};
  sweep.points[0].cost =
      SweepCost{.samples = 9, .areas = {{0.5, 0.4, 0.6}}, .functions = {{"f", 0.25, 0.5}}};
  sweep.machine_findings = {{"few CPUs", "4 for 8 threads", "use more"}};
  Json json = json_of(sweep, &sweep);
  EXPECT_EQ(json.at("plan.axes.1.values.3")->number, 8);
  EXPECT_EQ(json.at("plan.metrics.1")->text_at("better"), "more");
  EXPECT_EQ(json.at("points.0.axes")->text_at("engine"), "free");
  EXPECT_EQ(json.at("points.0.axes")->number_at("threads", 0), 1);
  EXPECT_EQ(json.at("points.0.failed_checks.0")->text, "</script>");
  EXPECT_EQ(json.at("points.0.areas.crc")->number_at("low", 0), 0.4);
  EXPECT_EQ(json.at("points.0.functions.0.1")->number, 0.25);
  EXPECT_TRUE(json.at("points.0.metrics.wall.high")->is(Json::Kind::kNull));
  EXPECT_EQ(json.at("points.0.metrics.throughput.values")->items.size(), 3U);
  EXPECT_EQ(json.at("fits.1")->text_at("verdict"), "contention");
  EXPECT_TRUE(json.at("fits.1.knee")->is(Json::Kind::kNull));
  EXPECT_GT(json.at("fits.1.curve")->items.size(), 10U);
  EXPECT_EQ(json.at("ranking.0")->number_at("point", 0), 8);
  EXPECT_EQ(json.at("machine.findings.0")->text_at("advice"), "use more");
  EXPECT_EQ(json.at("other.points")->items.size(), 8U);
}

TEST(SweepJson, OfNothing) {
  Sweep sweep;
  find_scaling(sweep, {});
  EXPECT_TRUE(json_of(sweep, nullptr).find("points")->items.empty());
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "experiment/sweep/results.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/small_file.h"
#include "experiment/sweep/readiness.h"
#include "tests/support/files.h"

namespace wick {
namespace {

constexpr std::string_view kPlan =
    "command = \"p {n} {mode}\"\n[axes]\nn = [1, 2]\nmode = [\"a\\\"<b>\", \"c\"]\n";

Plan plan() {
  return std::move(read_plan("plan.toml", kPlan).value());
}

RunRecord a_run(uint32_t point, uint32_t repeat) {
  return {.point = point,
          .repeat = repeat,
          .order = 7,
          .started = "2026-01-01T10:00:00Z",
          .seconds = 1.25,
          .stolen_seconds = 0.25,
          .clock_mhz = 2100,
          .status = RunStatus::kFailed,
          .why = "It said: \"no\"\n",
          .metrics = {{"wall", 0.1}, {"rate", 1e-30}},
          .checks = {{"quick", true, 2}, {"lost", false, std::nan("")}},
          .profile = "profiles/point-1.wick"};
}

TEST(Results, ARunComesBackAsItWas) {
  Plan the_plan = plan();
  std::string line = run_line(the_plan, points_of(the_plan)[0], a_run(1, 2));
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_NE(line.find(R"("axes":{"n":1,"mode":"a\"\u003cb\u003e"})"), std::string::npos) << line;
  Result<RunRecord> back = parse_run(line);
  ASSERT_TRUE(back);
  EXPECT_EQ(run_line(the_plan, points_of(the_plan)[0], *back), line);
  EXPECT_EQ(back->metrics[1].second, 1e-30);
  EXPECT_EQ(back->stolen_seconds, 0.25);
  EXPECT_EQ(back->clock_mhz, 2100);
}

TEST(Results, LinesThatAreNoRunsAreCountedAndCutOnesDropped) {
  Plan the_plan = plan();
  std::string line = run_line(the_plan, points_of(the_plan)[0], a_run(1, 1)) + "\n";
  std::string again = run_line(the_plan, points_of(the_plan)[0], a_run(1, 2)) + "\n";
  StoredRuns stored = parse_runs(line + "{\"point\":-1}\n\n" + again + line.substr(0, 40));
  EXPECT_EQ(stored.runs.size(), 2U);
  EXPECT_EQ(stored.damaged, 2U);
  for (size_t cut = 0; cut <= line.size(); ++cut) {
    EXPECT_EQ(parse_runs(line.substr(0, cut)).runs.size(), cut == line.size() ? 1U : 0U);
  }
  EXPECT_EQ(parse_runs(line + line).runs.size(), 1U) << "the same run, the last counts";
}

TEST(Results, AreAppendedAfterWhatWasCutOff) {
  testing::ScratchDir folder;
  std::string directory = folder.file("results");
  Plan the_plan = plan();
  Point point = points_of(the_plan)[0];
  {
    Result<RunLog> log = RunLog::open(directory, the_plan, kPlan);
    ASSERT_TRUE(log) << log.error().message;
    ASSERT_TRUE(log->append(the_plan, point, a_run(1, 1)));
    Result<RunLog> second = RunLog::open(directory, the_plan, kPlan);
    ASSERT_FALSE(second) << "two sweeps at once";
  }
  std::string path = directory + "/runs.jsonl";
  ASSERT_TRUE(write_small_file(path, read_text(path, 1 << 20) + "{\"point\":1,\"rep"));
  {
    Result<RunLog> log = RunLog::open(directory, the_plan, kPlan);
    ASSERT_TRUE(log);
    EXPECT_EQ(log->runs().size(), 1U);
    ASSERT_TRUE(log->append(the_plan, point, a_run(1, 2)));
  }
  Result<SweepResults> results = read_results(directory);
  ASSERT_TRUE(results);
  EXPECT_EQ(results->runs.size(), 2U);
  EXPECT_TRUE(results->notes.empty());
  Result<RunLog> other = RunLog::open(directory, the_plan, std::string(kPlan) + "\nseed = 3\n");
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().message.find("differ from line 5 on"), std::string::npos);
}

}  // namespace
}  // namespace wick

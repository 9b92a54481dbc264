// SPDX-License-Identifier: Apache-2.0
#include "experiment/sweep/run_metrics.h"

#include <cmath>

#include <gtest/gtest.h>

namespace wick {
namespace {

constexpr std::string_view kPlanOfMetrics = R"(
[axes]
threads = [2, 4]
mode = ["sync", "async"]
[roles.server]
kind = "server"
command = "s"
[roles.client]
command = "c {threads} {mode}"
[metrics.rate]
json = "result.rate"
better = "more"
[metrics.latency]
regex = 'latency ([0-9.,]+) us'
from = "stderr"
[metrics.worst]
regex = 'latency ([0-9.,]+) us'
from = "stderr"
combine = "max"
[metrics.wall]
counter = "wall"
[metrics.cpu]
counter = "cpu"
role = "server"
[metrics.each]
value = "1000 * rate / threads"
[metrics.sometimes]
json = "extra"
optional = true
[checks]
quick = "latency < 5"
async = { that = "rate > 1e9", when = { mode = "async" } }
)";

InstanceResult client(std::string_view output, std::string_view errors) {
  return {.output = std::string(output),
          .errors = std::string(errors),
          .counted = {{"wall", "seconds", 9}, {"user", "seconds", 1}, {"sys", "seconds", 2}}};
}

class RunMetrics : public ::testing::Test {
 protected:
  RunMetrics()
      : plan_(std::move(read_plan("plan.toml", kPlanOfMetrics).value())),
        points_(points_of(plan_)) {}
  TakenMetrics take(std::vector<RoleResult> roles) {
    return take_metrics(plan_, points_[0], roles, 3.5);
  }
  Plan plan_;
  std::vector<Point> points_;
};

TEST_F(RunMetrics, AreTakenFromEverySource) {
  TakenMetrics taken =
      take({{client("", "")},
            {client("starting\n{\"result\":{\"rate\":10}}\nbye\n", "latency 1,000.5 us"),
             client("{\"result\":{\"rate\":\"20\"}}", "latency 999.5 us")}});
  EXPECT_EQ(taken.missing, "");
  EXPECT_EQ(find_value(taken.values, "rate"), 30) << "more is better: the sum";
  EXPECT_EQ(find_value(taken.values, "latency"), 1000) << "less is better: the mean";
  EXPECT_EQ(find_value(taken.values, "worst"), 1000.5);
  EXPECT_EQ(find_value(taken.values, "wall"), 3.5) << "of the clients together";
  EXPECT_EQ(find_value(taken.values, "cpu"), 3) << "of the server";
  EXPECT_EQ(find_value(taken.values, "each"), 15000);
  EXPECT_EQ(find_value(taken.values, "sometimes"), std::nullopt);
}

TEST_F(RunMetrics, WhatIsMissingIsNamedWithTheReason) {
  TakenMetrics taken = take({{client("", "")},
                             {client("{\"result\":{\"rate\":1}}", "latency 1 us"),
                              client("{\"result\":{}}", "latency 1 us")}});
  EXPECT_EQ(taken.missing,
            "The metric rate is missing: its JSON has no \"result.rate\" (client 1).");
  EXPECT_EQ(find_value(taken.values, "latency"), 1) << "the others are there";
  EXPECT_EQ(find_value(taken.values, "each"), std::nullopt) << "not computed from nothing";
  taken = take({{client("", "")}, {client("no json", "latency 1 us")}});
  EXPECT_EQ(taken.missing, "The metric rate is missing: its output has no JSON object (client).");
}

TEST_F(RunMetrics, ChecksAreForTheirPointsAndUnknownDoesNotHold) {
  MetricValues values = {{"latency", 4}, {"rate", 10}};
  std::vector<CheckOutcome> checks = judge_checks(plan_, points_[0], values);
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_TRUE(checks[0].holds);
  checks = judge_checks(plan_, points_[1], {{"rate", 10}});
  ASSERT_EQ(checks.size(), 2U);
  EXPECT_FALSE(checks[0].holds);
  EXPECT_TRUE(std::isnan(checks[0].value));
  EXPECT_FALSE(checks[1].holds);
  EXPECT_EQ(checks[1].value, 10);
}

TEST(JsonOfOutput, IsAllOfItOrTheLastLineThatIsOne) {
  EXPECT_EQ(json_of_output("{\n\"a\": 1\n}\n")->number_at("a", 0), 1);
  EXPECT_EQ(json_of_output("{\"a\":1}\n{\"a\":2}\n[3]\n")->number_at("a", 0), 2);
  EXPECT_FALSE(json_of_output(""));
  EXPECT_FALSE(json_of_output("{"));
}

TEST_F(RunMetrics, ACommaSeparatesThousandsOrItIsNoNumber) {
  auto latency = [&](std::string_view number) {
    TakenMetrics taken =
        take({{client("", "")},
              {client(R"({"result": {"rate": 1}})", fmt::format("latency {} us", number))}});
    return find_value(taken.values, "latency");
  };
  EXPECT_EQ(latency("1,234,567.5"), 1234567.5);
  EXPECT_EQ(latency("12,345"), 12345);
  EXPECT_EQ(latency("1,5"), std::nullopt);
  EXPECT_EQ(latency("1,2345"), std::nullopt);
  EXPECT_EQ(latency("1.234,567"), std::nullopt);
  EXPECT_EQ(latency(",234"), std::nullopt);
}

}  // namespace
}  // namespace wick

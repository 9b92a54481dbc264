// SPDX-License-Identifier: Apache-2.0
#include "experiment/plan/plan.h"

#include <set>

#include <gtest/gtest.h>

#include "experiment/plan/points.h"

namespace wick {
namespace {

Plan plan_of(std::string_view text) {
  Result<Plan> plan = read_plan("plan.toml", text);
  EXPECT_TRUE(plan) << (plan ? "" : plan.error().message);
  return plan ? std::move(*plan) : Plan();
}

std::string problem_of(std::string_view text) {
  Result<Plan> plan = read_plan("plan.toml", text);
  return plan ? "no problem" : plan.error().message;
}

std::vector<std::string> value_names(const Axis& axis) {
  std::vector<std::string> names;
  for (const AxisValue& value : axis.values) {
    names.push_back(value.name);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(Plan, OneCommandIsEnough) {
  Plan plan = plan_of("command = \"sleep 1\"\n");
  ASSERT_EQ(plan.roles.size(), 1U);
  EXPECT_EQ(plan.roles[0].name, "program");
  EXPECT_EQ(plan.metrics[0].name, "wall");
  EXPECT_EQ(points_of(plan).size(), 1U);
  EXPECT_EQ(plan.name, "plan");
}

TEST(Plan, AxesAreListsRangesFactorsStepsAndVariants) {
  Plan plan = plan_of(R"(
command = "p {z} {a} {b} {c} {d} {e.flag} {e}"
[axes]
z = [1, 2.5, "x", true]
a = { from = 1, to = 7, step = 3 }
b = { from = 64, to = 5000, factor = 4, unit = "bytes" }
c = { from = 1, to = 1000, steps = 4 }
d = { from = 0.1, to = 0.3, step = 0.1 }
e = { variants = { old = { flag = "-O0" }, new = { flag = "-O3" } } }
)");
  ASSERT_EQ(plan.axes.size(), 6U);
  EXPECT_EQ(plan.axes[0].name, "z") << "in the order of the file";
  EXPECT_EQ(value_names(plan.axes[0]), (Names{"1", "2.5", "x", "true"}));
  EXPECT_FALSE(plan.axes[0].is_numeric());
  EXPECT_EQ(value_names(plan.axes[1]), (Names{"1", "4", "7"}));
  EXPECT_EQ(value_names(plan.axes[2]), (Names{"64", "256", "1024", "4096"}));
  EXPECT_TRUE(plan.axes[2].log);
  EXPECT_EQ(plan.axes[2].unit, "bytes");
  EXPECT_EQ(value_names(plan.axes[3]), (Names{"1", "10", "100", "1000"}));
  EXPECT_EQ(plan.axes[4].values.size(), 3U) << "0.1 + 0.1 + 0.1 is above 0.3 by a hair";
  EXPECT_EQ(value_names(plan.axes[5]), (Names{"old", "new"}));
  Point last = points_of(plan).back();
  EXPECT_EQ(*find_filling(plan, last, "e.flag"), Names{"-O3"});
  EXPECT_EQ(*find_filling(plan, last, "e"), Names{"new"});
}

TEST(Plan, WhatIsWrongIsSaidWithItsLine) {
  struct Case {
    const char* text;
    const char* message;
  };
  for (const Case& c : {
           Case{"command = \"p\"\nrepeat = 3\n",
                "plan.toml:2: \"repeat\" is not a key of a plan; did "
                "you mean \"repeats\"?"},
           Case{"command = \"p\"\n[axes]\n", "plan.toml:2: The table [axes] has no axis."},
           Case{"command = \"p\"\n[axes]\nn = []\n", "plan.toml:3: The axis n is empty."},
           Case{"command = \"p\"\n[axes]\nn = {from = 3, to = 1}\n",
                "plan.toml:3: The range of the "},
           Case{"command = \"p {threads}\"\n", "plan.toml:1: unknown placeholder {threads}"},
           Case{"command = \"p\"\n[axes]\nn = [1, 1]\n", "plan.toml:3: The axis n has the value 1"},
           Case{"command = \"p\"\n\n[axes]\nn = [1\n", "plan.toml:4: this is not valid TOML"},
           Case{"name = \"x\"\n", "plan.toml:1: A plan needs either"},
           Case{"command = \"p 'x\"\n", "plan.toml:1: a quotation mark is not closed"},
           Case{"command = \"p\"\nrepeats = 0\n", "plan.toml:2: repeats takes a whole number, 1"},
           Case{"command = \"p\"\ntimeout = -1\n",
                "plan.toml:2: timeout takes a number of seconds"},
           Case{"[roles.a]\nkind = \"server\"\ncommand = \"p\"\n",
                "no role of this plan is a client"},
           Case{"[roles.a]\ncommand = \"p\"\n[roles.a.ready]\nport = 1\n", "is a client"},
           Case{"[roles.a]\ncommand = \"p\"\ninstances = \"x\"\n", "plan.toml:3: `instances`"},
           Case{"[roles.a]\ncommand = \"p\"\ncpus = \"x\"\n", "plan.toml:3: `cpus` takes CPUs"},
           Case{"command = \"p\"\n[metrics.m]\n", "plan.toml:2: The metric m needs one of"},
           Case{"command = \"p\"\n[metrics.m]\nregex = \"(\"\n", "plan.toml:3: "},
           Case{"command = \"p\"\n[metrics.m]\nvalue = \"q * 2\"\n", "The metric m uses \"q\""},
           Case{"command = \"p\"\n[metrics.m]\nvalue = \"1 +\"\n",
                "plan.toml:3: Cannot compute the value of m"},
           Case{"command = \"p\"\n[metrics.m]\njson = \"a\"\nrole = \"r\"\n", "There is no role"},
           Case{"command = \"p\"\n[checks]\nc = \"wall\"\n", "plan.toml:3: The check \"c\""},
           Case{"command = \"p\"\n[checks]\nc = \"q < 1\"\n", "The check \"c\" uses \"q\""},
           Case{"command = \"p\"\nskip = [{x = 1}]\n", "plan.toml:2: `skip` takes names of axes"},
           Case{"command = \"p {n}\"\nskip = [{n = 2}]\n[axes]\nn = [1]\n", "has no value 2"},
           Case{"command = \"p\"\nskip = [{n = 1}]\n[axes]\nn = [1]\n", "leaves no point"},
           Case{"command = \"p\"\nprofile = \"best\"\n", "plan.toml:2: profile must be one of"},
           Case{"command = \"p\"\n[axes]\nport = [1]\n", "is an axis and also something else"},
           Case{"command = \"p {n}\"\n[axes]\nn = [1]\nm = [1, 2]\n",
                "plan.toml:4: No command, environment variable or build step uses the axis m"},
           Case{"command = \"p {{n}}\"\nskip = [{n = 1}]\n[axes]\nn = [1, 2]\n[metrics.wall]\n"
                "counter = \"wall\"\n[metrics.m]\nvalue = \"wall / n\"\n[checks]\nc = {that = "
                "\"wall < n\", when = {n = 2}}\n",
                "plan.toml:4: No command"},
           Case{"command = \"p\"\nbuild = \"make {dir}\"\n",
                "plan.toml:2: unknown placeholder {dir}"},
           Case{"[roles.a]\ncommand = \"p {b.port}\"\n[roles.b]\nkind = \"server\"\n"
                "command = \"p {b.port} {a.port}\"\n",
                "unknown placeholder {a.port}"},
           Case{"[axes]\na = {variants = {x = {port = 1}}}\n[roles.a]\nkind = \"server\"\n"
                "command = \"p {a.port}\"\n[roles.c]\ncommand = \"p\"\n",
                "plan.toml:2: \"a\" is an axis and also something else"},
           Case{"command = \"p {e.a}\"\n[axes]\ne = {variants = {x = {a = 1}, y = {b = 1}}}\n",
                "unknown placeholder {e.a} (point 2, e=y)"},
           Case{"command = \"p\"\n[axes]\na = {from = 1, to = 9999}\nb = {from = 1, to = 9999}\n",
                "points"},
       }) {
    EXPECT_NE(problem_of(c.text).find(c.message), std::string::npos)
        << c.text << "gives: " << problem_of(c.text);
  }
}

TEST(Plan, RolesMetricsAndChecks) {
  Plan plan = plan_of(R"(
[axes]
threads = [1, 2]
mode = ["sync", "async"]
[roles.server]
kind = "server"
command = ["server", "--port", "{port}"]
cpus = "0"
ready = { port = "{port}", timeout = 2 }
stop = { signal = "INT", timeout = 1.5 }
[roles.client]
command = "client --threads {threads}"
instances = "{threads}"
environment = { MODE = "{mode}" }
[metrics.rate]
json = "iterations_per_s"
better = "more"
[metrics.switches]
counter = "voluntary-switches"
role = "server"
[metrics.each]
value = "switches / rate / threads"
[checks]
short = "rate > 1"
"no blocking" = { that = "each <= 0.001", when = { mode = "async" } }
)");
  EXPECT_EQ(plan.roles[0].name, "server");
  EXPECT_EQ(plan.roles[0].stop_signal, 2);
  EXPECT_EQ(plan.roles[0].ready.timeout_seconds, 2);
  EXPECT_EQ(plan.metrics[1].role, 0U);
  EXPECT_TRUE(plan.metrics[0].more_is_better);
  std::vector<Point> points = points_of(plan);
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(point_name(plan, points[1]), "threads=1 mode=async");
  EXPECT_TRUE(matches(plan.checks[1].when, points[1]));
  EXPECT_FALSE(matches(plan.checks[1].when, points[0]));
  EXPECT_EQ(find_number(plan, points[2], "threads"), 2);
}

TEST(Plan, FitsAreAskedForOrDeclined) {
  constexpr std::string_view kRest =
      "command = \"p {n} {mode}\"\n[axes]\nn = [1, 2]\nmode = [\"a\"]\n";
  EXPECT_FALSE(plan_of(kRest).fits_nothing);
  EXPECT_TRUE(plan_of(fmt::format("scaling = []\n{}", kRest)).fits_nothing);
  Plan plan = plan_of(fmt::format("scaling = [{{ metric = \"wall\", axis = \"n\" }}]\n{}", kRest));
  ASSERT_EQ(plan.scaling.size(), 1U);
  EXPECT_EQ(plan.scaling[0].as, ThroughputAs::kInverse) << "less is better";
  EXPECT_NE(
      problem_of(fmt::format("scaling = [{{ metric = \"wall\", axis = \"mode\" }}]\n{}", kRest))
          .find("plan.toml:1: `scaling` needs"),
      std::string::npos);
}

TEST(Points, SkippedOnesHaveNoNumber) {
  Plan plan = plan_of(R"(
command = "p {a} {b}"
skip = [{ a = 1, b = ["x", "y"] }]
[axes]
a = [1, 2]
b = ["x", "y", "z"]
)");
  std::vector<Point> points = points_of(plan);
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(points[0].id, 1U);
  EXPECT_EQ(point_name(plan, points[0]), "a=1 b=z");
  EXPECT_EQ(points[3].id, 4U);
}

TEST(Points, RepeatsAreInterleavedAndShuffledByTheSeed) {
  Plan plan =
      plan_of("command = \"p {n}\"\nrepeats = 3\nwarmup = 1\n[axes]\nn = {from=1, to=20}\n");
  std::vector<PlannedRun> runs = schedule(plan, 20);
  ASSERT_EQ(runs.size(), 80U);
  std::vector<std::vector<size_t>> orders;
  for (size_t round = 0; round < 4; ++round) {
    std::set<size_t> seen;
    orders.emplace_back();
    for (size_t i = 0; i < 20; ++i) {
      const PlannedRun& run = runs[round * 20 + i];
      EXPECT_EQ(run.kind, round == 0 ? RunKind::kWarmup : RunKind::kTiming);
      EXPECT_EQ(run.repeat, round == 0 ? 1 : round);
      seen.insert(run.point);
      orders.back().push_back(run.point);
    }
    EXPECT_EQ(seen.size(), 20U) << "each point once a round";
  }
  EXPECT_NE(orders[1], orders[2]);
  std::vector<PlannedRun> again = schedule(plan, 20);
  EXPECT_TRUE(std::ranges::equal(runs, again, {}, &PlannedRun::point, &PlannedRun::point));
  plan.seed = 2;
  std::vector<PlannedRun> other = schedule(plan, 20);
  EXPECT_FALSE(std::ranges::equal(runs, other, {}, &PlannedRun::point, &PlannedRun::point));
}

TEST(Points, TheShuffleIsFair) {
  Plan plan = plan_of("command = \"p {n}\"\nrepeats = 3000\nwarmup = 0\n[axes]\nn = [1, 2, 3]\n");
  std::vector<size_t> firsts(3);
  std::vector<PlannedRun> runs = schedule(plan, 3);
  for (size_t i = 0; i < runs.size(); i += 3) {
    ++firsts[runs[i].point];
  }
  for (size_t count : firsts) {
    EXPECT_NEAR(static_cast<double>(count), 1000, 100);
  }
}

}  // namespace
}  // namespace wick

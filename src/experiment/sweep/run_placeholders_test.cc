// SPDX-License-Identifier: Apache-2.0
// Each instance of a server has its own port; clients use them in turn.
#include "experiment/sweep/run_placeholders.h"

#include <set>

#include <gtest/gtest.h>

namespace wick {
namespace {

constexpr std::string_view kPlanOfThreeRoles = R"(
[axes]
clients = [5]
[roles.first]
kind = "server"
command = "first {port} {instance} {instances}"
instances = 3
[roles.second]
kind = "server"
command = "second {first.port}"
[roles.client]
command = "client {port} {second.port} {first.ports}"
instances = "{clients}"
)";

class Placeholders : public ::testing::Test {
 protected:
  std::vector<std::string> command(RunPlaceholders& placeholders, size_t role, uint64_t instance) {
    return fill_command(plan_.roles[role].command, placeholders.words(role, instance)).value();
  }

  Plan plan_ = read_plan("plan.toml", kPlanOfThreeRoles).value();
  Point point_ = points_of(plan_)[0];
};

TEST_F(Placeholders, PortsAreDealtOut) {
  RunPlaceholders placeholders = RunPlaceholders::of(plan_, point_, {}).value();
  ASSERT_TRUE(placeholders.take_ports());
  EXPECT_EQ(placeholders.instances(2), 5U);
  std::vector<std::string> ports;
  for (uint64_t i = 0; i < 3; ++i) {
    std::vector<std::string> words = command(placeholders, 0, i);
    ports.push_back(words[1]);
    EXPECT_EQ(words[2], fmt::format("{}", i));
    EXPECT_EQ(words[3], "3");
  }
  EXPECT_EQ(std::set<std::string>(ports.begin(), ports.end()).size(), 3U);
  EXPECT_EQ(command(placeholders, 1, 0), (std::vector<std::string>{"second", ports[0]}));
  std::vector<std::string> client = command(placeholders, 2, 4);
  ASSERT_EQ(client.size(), 6U);
  EXPECT_EQ(client[1], ports[1]) << "the fifth client takes the second of three";
  EXPECT_EQ(std::vector<std::string>(client.begin() + 3, client.end()), ports);
  EXPECT_EQ(std::set<std::string>(ports.begin(), ports.end()).count(client[2]), 0U);
}

TEST_F(Placeholders, WithoutServersEachInstanceHasAPort) {
  plan_ = read_plan("plan.toml",
                    "[roles.peer]\ncommand = \"peer {port} {peer.ports}\"\ninstances = 2\n")
              .value();
  point_ = points_of(plan_)[0];
  RunPlaceholders placeholders = RunPlaceholders::of(plan_, point_, {}).value();
  EXPECT_EQ(command(placeholders, 0, 0)[1], "0") << "none is taken yet";
  ASSERT_TRUE(placeholders.take_ports());
  EXPECT_NE(command(placeholders, 0, 0)[1], command(placeholders, 0, 1)[1]);
  EXPECT_EQ(command(placeholders, 0, 1)[3], command(placeholders, 0, 1)[1]);
}

}  // namespace
}  // namespace wick

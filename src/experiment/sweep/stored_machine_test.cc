// SPDX-License-Identifier: Apache-2.0
// Reading returns the machine as it was stored, and changes are reported.
#include "experiment/sweep/stored_machine.h"

#include <gtest/gtest.h>

#include "tests/support/files.h"

namespace wick {
namespace {

record::MachineFacts machine(const std::string& kernel, const std::string& load) {
  return {.facts = {{"host", "here"}, {"kernel", kernel}, {"load average", load}}};
}

TEST(StoredMachine, OnlyWhatLastsIsCompared) {
  Json before = machine_as_json(machine("Linux 6.1", "0.1"));
  EXPECT_TRUE(machine_changes(before, machine_as_json(machine("Linux 6.1", "9.9"))).empty());
  EXPECT_EQ(machine_changes(before, machine_as_json(machine("Linux 6.2", "0.1"))),
            std::vector<std::string>{"kernel (Linux 6.1 then, Linux 6.2 now)"});
  EXPECT_EQ(machine_changes(before, Json()).size(), 2U);
}

TEST(StoredMachine, MitigationsAreComparedIfBothKnowThem) {
  auto with = [](const std::string& text) {
    record::MachineFacts facts = machine("Linux 6.1", "0");
    facts.facts.push_back({"mitigations", text});
    return machine_as_json(facts);
  };
  EXPECT_EQ(machine_changes(with("meltdown: PTI"), with("not needed")),
            std::vector<std::string>{"mitigations (meltdown: PTI then, not needed now)"});
  EXPECT_TRUE(
      machine_changes(machine_as_json(machine("Linux 6.1", "0")), with("meltdown: PTI")).empty())
      << "results of an older wick";
}

TEST(StoredMachine, EachIsStoredWithTheRunItBeganWith) {
  testing::ScratchDir folder;
  std::string directory = folder.file(".");
  EXPECT_TRUE(read_machines(directory).empty());
  ASSERT_TRUE(store_machine(directory, 0, 1, machine("Linux 6.1", "0")));
  ASSERT_TRUE(store_machine(directory, 1, 13, machine("Linux 6.2", "0")));
  std::vector<StoredMachine> machines = read_machines(directory);
  ASSERT_EQ(machines.size(), 2U);
  EXPECT_EQ(machines[0].first_run, 1U);
  EXPECT_EQ(machines[1].first_run, 13U);
  EXPECT_EQ(machine_changes(machines[0].facts, machines[1].facts).size(), 1U);
}

}  // namespace
}  // namespace wick

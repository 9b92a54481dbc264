// SPDX-License-Identifier: Apache-2.0
#include "record/machine_facts.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace wick::record {
namespace {

// A machine made of files.
class MadeUpMachine {
 public:
  MadeUpMachine() : root_(::testing::TempDir() + "/made-up-machine") {
    std::filesystem::remove_all(root_);
    write("/sys/devices/system/cpu/online", "0-3\n");
    write("/proc/cpuinfo", "processor\t: 0\nmodel name\t: Abacus 9\nflags\t\t: fpu sse\n");
    write("/proc/stat", "cpu  10 0 5 100 7 0 0 0 0 0\n");
    write("/proc/loadavg", "0.10 0.20 0.30 1/99 1234\n");
    write("/proc/meminfo",
          "MemTotal: 1024000 kB\nMemAvailable: 900000 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n");
  }
  ~MadeUpMachine() { std::filesystem::remove_all(root_); }

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(root_ + name).parent_path());
    std::ofstream(root_ + name) << text;
  }
  MachineFacts examine(const TimingNeeds& needs = {}) const {
    return examine_for_timing(needs, {.root = root_, .watch_seconds = 0});
  }

 private:
  std::string root_;
};

const Finding* find(const std::vector<Finding>& findings, std::string_view what) {
  auto found = std::ranges::find(findings, what, &Finding::what);
  return found == findings.end() ? nullptr : &*found;
}

std::string fact(const MachineFacts& machine, std::string_view name) {
  auto found = std::ranges::find(machine.facts, name, &MachineFacts::Fact::name);
  return found == machine.facts.end() ? "no such fact" : found->value;
}

TEST(MachineFacts, QuietMachineHasNoFindings) {
  MadeUpMachine machine;
  machine.write("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  machine.write("/sys/devices/system/cpu/cpufreq/boost", "0\n");
  machine.write("/sys/devices/system/cpu/smt/active", "0\n");
  MachineFacts facts = machine.examine({.cpus = 4});
  EXPECT_TRUE(facts.findings().empty()) << facts.findings()[0].what;
  EXPECT_EQ(fact(facts, "processor"), "Abacus 9");
  EXPECT_EQ(fact(facts, "CPUs"), "4");
  EXPECT_EQ(fact(facts, "turbo"), "off");
  EXPECT_EQ(fact(facts, "load average"), "0.10 0.20 0.30");
}

TEST(MachineFacts, ClockAndTurboAreReported) {
  MadeUpMachine machine;
  machine.write("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  machine.write("/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
  std::vector<Finding> findings = machine.examine().findings();
  ASSERT_NE(find(findings, "CPU clock"), nullptr);
  EXPECT_NE(find(findings, "CPU clock")->state.find("powersave"), std::string::npos);
  ASSERT_NE(find(findings, "turbo"), nullptr);
  EXPECT_NE(find(findings, "turbo")->remedy.find("no_turbo"), std::string::npos);
}

TEST(MachineFacts, SmtNamesOneCpuOfEachCore) {
  MadeUpMachine machine;
  machine.write("/sys/devices/system/cpu/smt/active", "1\n");
  for (int cpu = 0; cpu < 4; ++cpu) {
    machine.write(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu),
                  cpu % 2 == 0 ? "0,2\n" : "1,3\n");
  }
  std::vector<Finding> findings = machine.examine().findings();
  ASSERT_NE(find(findings, "SMT"), nullptr);
  EXPECT_NE(find(findings, "SMT")->remedy.find("--pin 0,1"), std::string::npos);
}

TEST(MachineFacts, TooFewCpusByNumberPinOrQuota) {
  MadeUpMachine machine;
  EXPECT_EQ(find(machine.examine({.cpus = 4}).findings(), "CPUs"), nullptr);
  EXPECT_NE(find(machine.examine({.cpus = 5}).findings(), "CPUs"), nullptr);
  EXPECT_NE(find(machine.examine({.cpus = 2, .pinned = {3}}).findings(), "CPUs"), nullptr);
  machine.write("/proc/self/cgroup", "0::/a/b\n");
  machine.write("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(find(machine.examine({.cpus = 4}).findings(), "CPUs"), nullptr);
  machine.write("/sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  EXPECT_NE(find(machine.examine({.cpus = 2}).findings(), "CPUs"), nullptr);
  EXPECT_EQ(fact(machine.examine(), "CPU quota"), "1.5 CPUs");
}

TEST(MachineFacts, SwapAndScarceMemoryAreReported) {
  MadeUpMachine machine;
  machine.write(
      "/proc/meminfo",
      "MemTotal: 1024000 kB\nMemAvailable: 50000 kB\nSwapTotal: 204800 kB\nSwapFree: 102400 kB\n");
  std::vector<Finding> findings = machine.examine().findings();
  ASSERT_NE(find(findings, "swap"), nullptr);
  EXPECT_NE(find(findings, "swap")->state.find("100 MiB"), std::string::npos);
  EXPECT_NE(find(findings, "memory"), nullptr);
}

TEST(MachineFacts, TicksOfTheKernel) {
  std::optional<CpuTicks> ticks = parse_cpu_ticks("cpu  10 1 5 100 7 2 3 4 9 9\ncpu0 1 2\n");
  ASSERT_TRUE(ticks);
  EXPECT_EQ(ticks->busy, 21U);
  EXPECT_EQ(ticks->stolen, 4U);
  EXPECT_EQ(ticks->all, 132U);
  EXPECT_TRUE(parse_cpu_ticks("cpu 1 2 3 4\n"));
  EXPECT_FALSE(parse_cpu_ticks("cpu 1 2\n"));
  EXPECT_FALSE(parse_cpu_ticks(""));
}

TEST(MachineFacts, JsonHasFactsAndFindings) {
  MachineFacts machine{.facts = {{"a", "b\""}},
                       .checks = {{"good", Finding::Verdict::kGood, "is", ""},
                                  {"bad", Finding::Verdict::kLimited, "was", "do"}}};
  std::string text;
  Output out = Output::to_text(text);
  JsonWriter json(out);
  write_machine_facts(machine, json);
  ASSERT_TRUE(out.finish());
  EXPECT_EQ(text,
            R"({"facts":[{"name":"a","value":"b\""}],)"
            R"("findings":[{"what":"bad","why":"was","advice":"do"}]})");
  EXPECT_EQ(finding_text(machine.checks[1]), "bad: was. What would help: do.");
}

}  // namespace
}  // namespace wick::record

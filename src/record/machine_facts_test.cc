// SPDX-License-Identifier: Apache-2.0
#include "record/machine_facts.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "record/cpu_frequency.h"

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
  const std::string& root() const { return root_; }
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

TEST(MachineFacts, TheProcessorChoosesUnderItsOwnDrivers) {
  MadeUpMachine machine;
  auto write = [&](std::string_view name, std::string_view text) {
    for (int cpu = 0; cpu < 4; ++cpu) {
      machine.write(fmt::format("/sys/devices/system/cpu/cpu{}/{}", cpu, name),
                    fmt::format("{}\n", text));
    }
  };
  write("cpufreq/scaling_driver", "intel_pstate");
  write("cpufreq/scaling_governor", "performance");
  write("cpufreq/scaling_min_freq", "800000");
  write("cpufreq/scaling_max_freq", "4600000");
  write("cpufreq/base_frequency", "2100000");
  machine.write("/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
  std::vector<Finding> findings = machine.examine().findings();
  ASSERT_NE(find(findings, "CPU clock"), nullptr) << "the governor does not hold it";
  EXPECT_NE(find(findings, "CPU clock")->state.find("0.80 to 4.60 GHz"), std::string::npos);
  EXPECT_NE(find(findings, "CPU clock")->remedy.find("echo 2100000 |"), std::string::npos);
  EXPECT_NE(find(findings, "CPU clock")->remedy.find("intel_pstate=disable"), std::string::npos);
  EXPECT_EQ(fact(machine.examine(), "frequency limits"), "0.80 to 4.60 GHz");

  write("cpufreq/scaling_max_freq", "2100000");
  write("cpufreq/scaling_min_freq", "2100000");
  EXPECT_EQ(find(machine.examine().findings(), "CPU clock"), nullptr) << "the remedy holds it";
  machine.write("/sys/devices/system/cpu/cpu3/cpufreq/scaling_min_freq", "800000\n");
  machine.write("/sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "powersave\n");
  EXPECT_NE(find(machine.examine().findings(), "CPU clock"), nullptr) << "not on all CPUs";

  write("cpufreq/scaling_governor", "performance");
  write("cpufreq/scaling_max_freq", "4600000");
  machine.write("/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
  EXPECT_EQ(find(machine.examine().findings(), "CPU clock"), nullptr) << "no turbo";
}

TEST(MachineFacts, TheBaseFrequencyOfAmdComesFromTheFirmware) {
  MadeUpMachine machine;
  machine.write("/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", "amd-pstate-epp\n");
  machine.write("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  machine.write("/sys/devices/system/cpu/cpu0/acpi_cppc/nominal_freq", "2450\n");
  std::vector<Finding> findings = machine.examine().findings();
  ASSERT_NE(find(findings, "CPU clock"), nullptr);
  EXPECT_NE(find(findings, "CPU clock")->remedy.find("echo 2450000 |"), std::string::npos);
  EXPECT_NE(find(findings, "CPU clock")->remedy.find("amd_pstate=disable"), std::string::npos);
}

TEST(MachineFacts, WhetherTheFrequencyHeld) {
  EXPECT_EQ(frequency_text({}), "");
  EXPECT_NE(frequency_text({2100, 2110, 2095}).find("held: 2.11 GHz"), std::string::npos);
  std::string changed = frequency_text({2100, 3400, 3300});
  EXPECT_NE(changed.find("did not hold: 2.10 to 3.40 GHz"), std::string::npos) << changed;
  EXPECT_NE(changed.find("up to 62 %"), std::string::npos) << changed;

  MadeUpMachine machine;
  std::array cpus = {0, 1, 2};
  EXPECT_FALSE(current_mhz(machine.root(), cpus)) << "a virtual machine";
  machine.write("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "800000\n");
  machine.write("/sys/devices/system/cpu/cpu2/cpufreq/scaling_cur_freq", "2100000\n");
  EXPECT_EQ(current_mhz(machine.root(), cpus), 2100);
}

TEST(MachineFacts, MitigationsAndWhatTheyCost) {
  MadeUpMachine machine;
  EXPECT_EQ(fact(machine.examine(), "mitigations"), "unknown");
  auto write = [&](std::string_view name, std::string_view text) {
    machine.write(fmt::format("/sys/devices/system/cpu/vulnerabilities/{}", name),
                  fmt::format("{}\n", text));
  };
  write("retbleed", "Not affected");
  EXPECT_EQ(fact(machine.examine(), "mitigations"), "not needed");
  write("spectre_v2", "Mitigation: Retpolines; IBPB: conditional; STIBP: disabled");
  write("meltdown", "Mitigation: PTI");
  write("l1tf", "Mitigation: PTE Inversion; VMX: conditional cache flushes, SMT disabled");
  write("spec_store_bypass", "Vulnerable");
  MachineFacts facts = machine.examine();
  EXPECT_EQ(fact(facts, "mitigations"),
            "l1tf: PTE Inversion, VMX: conditional cache flushes, SMT disabled; meltdown: PTI; "
            "spec_store_bypass: Vulnerable; spectre_v2: Retpolines, IBPB: conditional, STIBP: "
            "disabled");
  const Finding* row = find(facts.checks, "mitigations");
  ASSERT_NE(row, nullptr);
  for (std::string_view word : {"(PTI)", "(IBPB)", "L1D"}) {
    EXPECT_NE(row->state.find(word), std::string::npos) << row->state;
  }
  EXPECT_EQ(find(facts.findings(), "mitigations"), nullptr) << "they disturb no comparison here";
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

// SPDX-License-Identifier: Apache-2.0
// Examination runs one function for each property: processor, clock, turbo, mitigations,
// threads of a core, CPUs, other load, memory. Each adds facts, which are stored with results, and a check, which is
// either good() or disturbs() with a reason and a remedy.
//
// Other load is measured, not read from an average: watch() calls look() twice, watch_seconds
// apart; the difference gives the busy CPUs, the busiest process and the swapped pages.
//
// All files are read below MachineSources::root, so that tests can provide a machine made of files.
// A file that cannot be read means "unknown"; it is never an error and never counts as a
// disturbance.
#include "record/machine_facts.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/parse_number.h"
#include "record/cpu_frequency.h"
#include "record/machine.h"
#include "record/mitigations.h"
#include "record/processes.h"

namespace wick::record {
namespace {

using Verdict = Finding::Verdict;

constexpr double kBusyFromShare = 0.05;  // share of all CPUs; more means that other programs run
constexpr double kStolenFromShare = 0.02;
constexpr double kScarceMemory = 0.1;
constexpr double kMegabyte = 1 << 20;

// The value after "Name:" in a file of such lines, without leading blanks.
std::string_view value_of(std::string_view text, std::string_view name) {
  size_t at = text.starts_with(name) ? 0 : text.find(fmt::format("\n{}", name));
  if (at == std::string_view::npos) {
    return {};
  }
  std::string_view line = text.substr(text.find(':', at) + 1);
  line = line.substr(0, line.find('\n'));
  size_t begin = line.find_first_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
}

// "MemTotal:   123 kB" in bytes.
double bytes_of(std::string_view meminfo, std::string_view name) {
  std::string_view value = value_of(meminfo, name);
  return 1024 * parse_number<double>(value.substr(0, value.find(' '))).value_or(0);
}

// ---- Measurements over a short interval ---------------------------------------------------------

// CPU time by process, to find the busiest one.
using ProcessTimes = std::map<int32_t, int64_t>;

struct Moment {
  std::optional<CpuTicks> ticks;
  uint64_t swapped = 0;  // pages in and out so far
  ProcessTimes processes;
};

uint64_t pages_swapped(const std::string& vmstat) {
  uint64_t pages = 0;
  for (std::string_view name : {"pswpin ", "pswpout "}) {
    size_t at = vmstat.find(name);
    if (at != std::string::npos) {
      std::string_view rest = std::string_view(vmstat).substr(at + name.size());
      pages += parse_number<uint64_t>(rest.substr(0, rest.find('\n'))).value_or(0);
    }
  }
  return pages;
}

Moment look(const MachineSources& sources) {
  Moment moment{.ticks = parse_cpu_ticks(read_text(sources.root + "/proc/stat")),
                .swapped = pages_swapped(read_text(sources.root + "/proc/vmstat"))};
  if (sources.root.empty()) {
    for (int32_t pid : all_processes()) {
      if (std::optional<CpuTime> time = cpu_time_of(pid)) {
        moment.processes[pid] = time->user_ns + time->system_ns;
      }
    }
  }
  return moment;
}

struct Watched {
  std::optional<double> busy_cpus;  // average
  double stolen_share = 0;
  uint64_t pages_swapped = 0;
  std::string busiest;  // "clang (pid 17)"
};

Watched watch(const MachineSources& sources, double cpus) {
  Moment before = look(sources);
  std::this_thread::sleep_for(std::chrono::duration<double>(sources.watch_seconds));
  Moment after = look(sources);
  Watched watched{.pages_swapped = after.swapped - before.swapped};
  if (sources.watch_seconds > 0 && before.ticks && after.ticks &&
      after.ticks->all > before.ticks->all) {
    auto all = static_cast<double>(after.ticks->all - before.ticks->all);
    watched.busy_cpus = cpus * static_cast<double>(after.ticks->busy - before.ticks->busy) / all;
    watched.stolen_share = static_cast<double>(after.ticks->stolen - before.ticks->stolen) / all;
  }
  int64_t most = 0;
  for (auto [pid, time] : after.processes) {
    auto earlier = before.processes.find(pid);
    int64_t spent = time - (earlier == before.processes.end() ? 0 : earlier->second);
    if (pid != ::getpid() && spent > most) {
      most = spent;
      std::string name = read_line(fmt::format("/proc/{}/comm", pid)).value_or("?");
      watched.busiest = fmt::format("{} (process {})", terminal_text(name), pid);
    }
  }
  return watched;
}

// ---- The checks ---------------------------------------------------------------------------------

class Examination {
 public:
  Examination(const TimingNeeds& needs, const MachineSources& sources)
      : needs_(needs), sources_(sources) {}

  MachineFacts run() {
    processor();
    clock();
    turbo();
    mitigations();
    threads_of_a_core();
    cpus();
    other_load();
    memory();
    return std::move(result_);
  }

 private:
  std::string path(std::string_view name) const { return fmt::format("{}{}", sources_.root, name); }
  void fact(std::string name, std::string value) {
    result_.facts.push_back({std::move(name), std::move(value)});
  }
  void good(std::string what, std::string state) {
    result_.checks.push_back({.what = std::move(what), .state = std::move(state)});
  }
  void disturbs(std::string what, std::string state, std::string remedy) {
    result_.checks.push_back(
        {std::move(what), Verdict::kLimited, std::move(state), std::move(remedy)});
  }

  void processor() {
    utsname name = {};
    ::uname(&name);
    fact("host", name.nodename);
    fact("kernel", fmt::format("{} {}", name.sysname, name.release));
    std::string cpuinfo = read_text(path("/proc/cpuinfo"));
    std::string_view model = value_of(cpuinfo, "model name");
    fact("processor", model.empty() ? name.machine : std::string(model));
    is_virtual_ = value_of(cpuinfo, "flags").find(" hypervisor") != std::string_view::npos;
    fact("virtual machine", is_virtual_ ? "yes" : "no sign of one");
  }

  void clock() {
    FrequencySetting setting = frequency_setting(sources_.root, online());
    fact("frequency governor", setting.governor.empty() ? "none to be seen" : setting.governor);
    std::string limits = setting.limits_text();
    if (!limits.empty()) {
      fact("frequency limits", limits);
    }
    std::string how = fmt::format("{}governor {}{}",
                                  setting.driver.empty() ? "" : setting.driver + ", ",
                                  setting.governor,
                                  limits.empty() ? "" : ", " + limits);
    if (setting.governor.empty()) {
      good("CPU clock", "cannot be controlled from here (a virtual machine?)");
    } else if (setting.is_held()) {
      good("CPU clock", fmt::format("stays the same ({})", terminal_text(how)));
    } else {
      disturbs("CPU clock",
               fmt::format("changes while programs run ({}): compare runs with care",
                           terminal_text(how)),
               setting.remedy());
    }
  }

  void turbo() {
    std::optional<std::string> off =
        read_line(path("/sys/devices/system/cpu/intel_pstate/no_turbo"));
    std::optional<std::string> on = read_line(path("/sys/devices/system/cpu/cpufreq/boost"));
    if (!off && !on) {
      fact("turbo", "unknown");
      return;
    }
    bool is_on = off ? *off == "0" : *on == "1";
    fact("turbo", is_on ? "on" : "off");
    if (!is_on) {
      good("turbo", "off");
      return;
    }
    disturbs("turbo",
             "on: the clock drops with heat and with the number of busy cores, so one thread looks "
             "faster than each of many",
             off ? "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"
                 : "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost");
  }

  void mitigations() {
    std::string text = mitigations_text(sources_.root);
    fact("mitigations", text.empty() ? "unknown" : text);
    good("mitigations", mitigation_costs(text));
  }

  // The first CPU of each core.
  std::vector<int> one_of_each_core(const std::vector<int>& online) const {
    std::vector<int> firsts;
    for (int cpu : online) {
      std::optional<std::string> siblings = read_line(
          path(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu)));
      std::optional<std::vector<int>> list = parse_cpu_list(siblings.value_or(""));
      if (!list || list->empty() || list->front() == cpu) {
        firsts.push_back(cpu);
      }
    }
    return firsts;
  }

  void threads_of_a_core() {
    std::optional<std::string> active = read_line(path("/sys/devices/system/cpu/smt/active"));
    bool is_on = active.value_or("0") == "1";
    fact("SMT", !active ? "unknown" : is_on ? "on" : "off");
    std::vector<int> cores = one_of_each_core(online());
    fact("cores", fmt::format("{}", cores.size()));
    if (!is_on) {
      good("SMT", "off or not available: each CPU is a core");
      return;
    }
    disturbs("SMT",
             fmt::format("on: {} CPUs share {} cores, and two on one core slow each other down",
                         online().size(),
                         cores.size()),
             fmt::format("use one CPU of each core: --pin {}", fmt::join(cores, ",")));
  }

  std::vector<int> online() const {
    std::optional<std::string> list = read_line(path("/sys/devices/system/cpu/online"));
    std::optional<std::vector<int>> cpus = parse_cpu_list(list.value_or(""));
    return cpus && !cpus->empty() ? *cpus : online_cpus();
  }

  // The number of CPUs that can run at once: those online, limited by affinity and by a quota.
  double usable_cpus() {
    auto usable = static_cast<double>(online().size());
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sources_.root.empty() && ::sched_getaffinity(0, sizeof set, &set) == 0) {
      usable = std::min(usable, static_cast<double>(CPU_COUNT(&set)));
    }
    if (!needs_.pinned.empty()) {
      usable = std::min(usable, static_cast<double>(needs_.pinned.size()));
    }
    if (std::optional<double> quota = cpu_quota()) {
      fact("CPU quota", fmt::format("{:.3g} CPUs", *quota));
      usable = std::min(usable, *quota);
    }
    return usable;
  }

  // "200000 100000" in cpu.max of the cgroup or of one above it means two CPUs.
  std::optional<double> cpu_quota() const {
    std::string line = read_line(path("/proc/self/cgroup")).value_or("");
    size_t at = line.find("::");
    std::string group = at == std::string::npos ? "" : line.substr(at + 2);
    std::optional<double> least;
    while (true) {
      std::string limit = read_line(path("/sys/fs/cgroup" + group + "/cpu.max")).value_or("");
      size_t space = limit.find(' ');
      std::optional<double> quota = parse_number<double>(limit.substr(0, space));
      if (quota && space != std::string::npos) {
        double period = parse_number<double>(limit.substr(space + 1)).value_or(1e5);
        least = std::min(least.value_or(*quota / period), *quota / period);
      }
      if (group.empty()) {
        return least;
      }
      group.resize(std::min(group.size() - 1, group.rfind('/')));
    }
  }

  void cpus() {
    usable_ = usable_cpus();
    fact("CPUs", fmt::format("{}", online().size()));
    fact("usable CPUs", fmt::format("{:.3g}", usable_));
    if (static_cast<double>(needs_.cpus) <= usable_) {
      good("CPUs", fmt::format("{:.3g} usable at once", usable_));
      return;
    }
    disturbs("CPUs",
             fmt::format("{} needed at once, {:.3g} usable: the rest waits for a CPU, which looks "
                         "like bad scaling",
                         needs_.cpus,
                         usable_),
             "use a larger machine, or fewer threads, processes or instances");
  }

  void other_load() {
    watched_ = watch(sources_, static_cast<double>(online().size()));
    std::string load = read_line(path("/proc/loadavg")).value_or("unknown");
    fact("load average", load.substr(0, load.find(' ', load.find(' ', load.find(' ') + 1) + 1)));
    if (!watched_.busy_cpus) {
      return;
    }
    double busy = *watched_.busy_cpus;
    fact("busy CPUs before the start", fmt::format("{:.2f}", busy));
    if (busy < kBusyFromShare * static_cast<double>(online().size())) {
      good("other load", "negligible");
    } else {
      disturbs("other load",
               fmt::format("keeps {:.1f} of {} CPUs busy{}: times get longer and vary more",
                           busy,
                           online().size(),
                           watched_.busiest.empty() ? "" : ", mostly " + watched_.busiest),
               fmt::format("stop it, or wait for its end; more runs ({}) show how much it matters",
                           needs_.more_runs));
    }
    if (watched_.stolen_share > kStolenFromShare) {
      disturbs("other virtual machines",
               fmt::format("take {:.0f} % of the CPU time (steal)", 100 * watched_.stolen_share),
               fmt::format("use a dedicated machine, or more runs ({})", needs_.more_runs));
    }
  }

  void memory() {
    std::string meminfo = read_text(path("/proc/meminfo"));
    double total = bytes_of(meminfo, "MemTotal");
    double available = bytes_of(meminfo, "MemAvailable");
    double swap = bytes_of(meminfo, "SwapTotal");
    double swapped = swap - bytes_of(meminfo, "SwapFree");
    fact("memory",
         fmt::format("{:.0f} MiB, {:.0f} available", total / kMegabyte, available / kMegabyte));
    fact("swap",
         swap > 0 ? fmt::format("{:.0f} MiB, {:.0f} used", swap / kMegabyte, swapped / kMegabyte)
                  : "none");
    if (watched_.pages_swapped > 0) {
      disturbs("swap",
               "memory is moving between RAM and disk right now: runs wait for the disk",
               "free memory first, or sudo swapoff -a");
    } else if (swapped > 0) {
      disturbs("swap",
               fmt::format("{:.0f} MiB are swapped out: programs that touch them wait for the disk",
                           swapped / kMegabyte),
               "sudo swapoff -a, and sudo swapon -a afterwards");
    } else {
      good("swap", swap > 0 ? "not in use" : "none");
    }
    if (total > 0 && available < kScarceMemory * total) {
      disturbs("memory",
               fmt::format("only {:.0f} of {:.0f} MiB are available: the kernel evicts pages that "
                           "programs need again",
                           available / kMegabyte,
                           total / kMegabyte),
               "stop the programs that use it");
    }
  }

  const TimingNeeds& needs_;
  const MachineSources& sources_;
  MachineFacts result_;
  Watched watched_;
  bool is_virtual_ = false;
  double usable_ = 1;
};

}  // namespace

std::optional<CpuTicks> parse_cpu_ticks(std::string_view proc_stat) {
  // user nice system idle iowait irq softirq steal; user already includes guest time.
  constexpr size_t kIdle = 3;
  constexpr size_t kWaiting = 4;
  constexpr size_t kStolen = 7;
  if (!proc_stat.starts_with("cpu ")) {
    return {};
  }
  std::string_view line = proc_stat.substr(4, proc_stat.find('\n') - 4);
  CpuTicks ticks;
  for (size_t field = 0; field <= kStolen; ++field) {
    line.remove_prefix(std::min(line.size(), line.find_first_not_of(' ')));
    std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(word.size());
    std::optional<uint64_t> number = parse_number<uint64_t>(word);
    if (!number) {
      return field > kIdle ? std::optional(ticks) : std::nullopt;
    }
    ticks.all += *number;
    if (field == kStolen) {
      ticks.stolen = *number;
    } else if (field != kIdle && field != kWaiting) {
      ticks.busy += *number;
    }
  }
  return ticks;
}

std::vector<Finding> MachineFacts::findings() const {
  std::vector<Finding> found;
  std::ranges::copy_if(checks, std::back_inserter(found), [](const Finding& check) {
    return check.verdict != Verdict::kGood;
  });
  return found;
}

MachineFacts examine_for_timing(const TimingNeeds& needs, const MachineSources& sources) {
  return Examination(needs, sources).run();
}

void write_machine_facts(const MachineFacts& machine, JsonWriter& json) {
  json.begin_object();
  json.key("facts");
  json.begin_array();
  for (const MachineFacts::Fact& fact : machine.facts) {
    json.begin_object();
    json.field("name", std::string_view(fact.name));
    json.field("value", std::string_view(fact.value));
    json.end_object();
  }
  json.end_array();
  json.key("findings");
  json.begin_array();
  for (const Finding& finding : machine.findings()) {
    json.begin_object();
    json.field("what", std::string_view(finding.what));
    json.field("why", std::string_view(finding.state));
    json.field("advice", std::string_view(finding.remedy));
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

std::string finding_text(const Finding& finding) {
  return finding.remedy.empty()
             ? fmt::format("{}: {}.", finding.what, finding.state)
             : fmt::format(
                   "{}: {}. What would help: {}.", finding.what, finding.state, finding.remedy);
}

}  // namespace wick::record

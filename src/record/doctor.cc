// SPDX-License-Identifier: Apache-2.0
// One function for each row of `wick doctor`. Each returns a Finding: what it examined, a verdict,
// the state, and the command that would change it. examine_machine() lists the rows in the order of
// the output.
//
// A function tries the real operation if that is cheap (it opens an event, reads kallsyms), because
// settings alone do not predict the result: capabilities, seccomp and containers interfere. It
// reads settings only to explain a failure and to find the remedy. No function changes the machine.
#include "record/doctor.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file_cache.h"
#include "record/event_names.h"
#include "record/machine.h"
#include "record/perf_event.h"
#include "record/processes.h"
#include "record/sample_program.h"

namespace wick::record {
namespace {

using Verdict = Finding::Verdict;

std::string sysctl(const std::string& name) {
  std::string path = "/proc/sys/" + name;
  return read_line(path).value_or("unknown");
}

// 0, or the errno with which the event could not be opened.
int try_event(EventRequest request,
              const PerfEvent::Target& target,
              StackSource stacks,
              uint64_t branches = 0) {
  if (request.period == 0 && request.frequency == 0) {
    request.frequency = 99;
  }
  perf_event_attr attr = make_attr(request, {.stacks = stacks, .branches = branches}, {});
  std::expected<PerfEvent, int> event = PerfEvent::open(attr, target);
  return event ? 0 : event.error();
}

std::string link_text(const char* path) {
  std::array<char, 64> text = {};
  ssize_t size = ::readlink(path, text.data(), text.size() - 1);
  return size > 0 ? text.data() : "";
}

// Evidence that wick runs in a container; empty if there is none. A filter on system calls proves
// nothing: browsers, services and test machines have one without a container.
std::string container_evidence() {
  for (const char* path : {"/.dockerenv", "/run/.containerenv"}) {
    if (::access(path, F_OK) == 0) {
      return fmt::format("{} exists", path);
    }
  }
  std::string groups = read_text("/proc/self/cgroup") + read_text("/proc/1/cgroup");
  for (const char* word : {"docker", "libpod", "kubepods", "containerd", "/lxc", "machine.slice"}) {
    if (groups.find(word) != std::string::npos) {
      return fmt::format("the cgroup belongs to {}", word[0] == '/' ? word + 1 : word);
    }
  }
  // The kernel fixes the numbers of the first namespaces.
  std::string processes = link_text("/proc/self/ns/pid");
  if (!processes.empty() && processes != "pid:[4026531836]") {
    return "wick is not in the initial PID namespace";
  }
  std::string users = link_text("/proc/self/ns/user");
  if (!users.empty() && users != "user:[4026531837]") {
    return "wick is not in the initial user namespace";
  }
  std::string first_mounts = link_text("/proc/1/ns/mnt");
  if (!first_mounts.empty() && first_mounts != link_text("/proc/self/ns/mnt")) {
    return "wick is not in the mount namespace of process 1";
  }
  return {};
}

bool in_container() {
  return !container_evidence().empty();
}

bool seccomp_filters() {
  std::string status = read_text("/proc/self/status");
  size_t at = status.find("\nSeccomp:\t");
  return at != std::string::npos && status[at + std::strlen("\nSeccomp:\t")] == '2';
}

Finding own_programs() {
  EventRequest user{.name = "cpu-clock", .exclude_kernel = true};
  int error = try_event(user, {.pid = 0}, StackSource::kCopy);
  Finding finding{.what = "your own programs"};
  if (error == 0) {
    finding.state = "can be recorded, with complete stacks";
    return finding;
  }
  finding.verdict = Verdict::kMissing;
  finding.state = fmt::format("cannot be recorded: {}", std::strerror(error));
  if (in_container() || seccomp_filters()) {
    finding.remedy =
        "docker run --cap-add PERFMON --security-opt seccomp=unconfined ... (the same with podman)";
  } else {
    finding.remedy = "sudo sysctl kernel.perf_event_paranoid=2";
  }
  return finding;
}

Finding kernel_time() {
  int error = try_event({.name = "cpu-clock"}, {.pid = 0}, StackSource::kCopy);
  if (error == 0) {
    return {.what = "kernel time", .state = "visible"};
  }
  return {.what = "kernel time",
          .verdict = Verdict::kLimited,
          .state = "not visible: samples cover programs only",
          .remedy = "sudo sysctl kernel.perf_event_paranoid=1"};
}

bool is_per_cpu_allowed() {
  PerfEvent::Target cpu{.pid = -1, .cpu = online_cpus()[0]};
  return try_event({.name = "cpu-clock"}, cpu, StackSource::kCopy) == 0;
}

Finding whole_machine() {
  if (is_per_cpu_allowed()) {
    return {.what = "one event per CPU",
            .state = "allowed: -a works, and programs with many threads are recorded in full"};
  }
  return {
      .what = "one event per CPU",
      .verdict = Verdict::kLimited,
      .state =
          "not allowed: no -a, and programs with many threads lose time (wick reports how much)",
      .remedy =
          "sudo setcap cap_perfmon,cap_bpf,cap_ipc_lock,cap_sys_nice,cap_syslog+ep $(command -v "
          "wick), or "
          "sudo sysctl kernel.perf_event_paranoid=0"};
}

Finding hardware() {
  EventRequest event = default_event();
  if (event.type == PERF_TYPE_HARDWARE) {
    return {.what = "hardware counters", .state = "available: cycles is the default event"};
  }
  return {.what = "hardware counters",
          .verdict = Verdict::kLimited,
          .state = "not available (a virtual machine?): cpu-clock is the default event",
          .remedy = "run on the host, or give the machine a virtual PMU (qemu: -cpu host,pmu=on)"};
}

Finding branch_stacks() {
  EventRequest cycles{.name = "cycles",
                      .type = PERF_TYPE_HARDWARE,
                      .config = PERF_COUNT_HW_CPU_CYCLES,
                      .exclude_kernel = true};
  int error = try_event(cycles, {.pid = 0}, StackSource::kNone, PERF_SAMPLE_BRANCH_ANY);
  if (error == 0) {
    std::optional<std::string> depth = read_line("/sys/bus/event_source/devices/cpu/caps/branches");
    return {.what = "branch stacks",
            .state = fmt::format("available: `wick record -b`{}",
                                 depth ? fmt::format(", {} branches each", *depth) : "")};
  }
  return {.what = "branch stacks",
          .verdict = Verdict::kLimited,
          .state = fmt::format("not available: {}", std::strerror(error)),
          .remedy =
              "a processor with LBR (Intel), BRS or LbrExtV2 (AMD Zen 3 and later) or BRBE "
              "(Arm), not in a virtual machine"};
}

Finding kernel_names() {
  // "ffffffff81000000 T _stext": without permission all addresses are zero.
  if (read_text("/proc/kallsyms").find("\nffff") != std::string::npos) {
    return {.what = "kernel function names", .state = "readable"};
  }
  return {.what = "kernel function names",
          .verdict = Verdict::kLimited,
          .state = fmt::format("hidden (kernel.kptr_restrict is {}, perf_event_paranoid is {})",
                               sysctl("kernel/kptr_restrict"),
                               sysctl("kernel/perf_event_paranoid")),
          .remedy = "sudo sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1"};
}

Finding buffers() {
  rlimit limit = {};
  ::getrlimit(RLIMIT_MEMLOCK, &limit);
  bool unlimited = has_capability(Capability::kIpcLock) || limit.rlim_cur == RLIM_INFINITY ||
                   read_number("/proc/sys/kernel/perf_event_paranoid").value_or(2) < 0;
  if (unlimited) {
    return {.what = "buffer memory", .state = "not limited"};
  }
  return {.what = "buffer memory",
          .verdict = Verdict::kLimited,
          .state = fmt::format("{} KB per CPU plus {} KB; stacks are copied in smaller pieces",
                               sysctl("kernel/perf_event_mlock_kb"),
                               limit.rlim_cur / 1024),
          .remedy = "ulimit -l unlimited, or sudo sysctl kernel.perf_event_mlock_kb=8192"};
}

Finding descriptors() {
  rlimit limit = {};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  auto cpus = online_cpus().size();
  Finding finding{.what = "file descriptors",
                  .state = fmt::format("{}: enough to attach to {} threads without privilege",
                                       limit.rlim_max,
                                       limit.rlim_max / cpus)};
  if (limit.rlim_max / cpus < 1000) {
    finding.verdict = Verdict::kLimited;
    finding.remedy = "ulimit -n 65536";
  }
  return finding;
}

Finding priority() {
  Scheduling before = current_scheduling();
  bool real_time = raise_priority(kDrainPriority);
  set_scheduling(before);
  if (real_time) {
    return {.what = "priority", .state = "real-time: nothing is lost on a saturated machine"};
  }
  return {.what = "priority",
          .verdict = Verdict::kLimited,
          .state = "ordinary: a saturated machine may lose samples (wick counts them)",
          .remedy = "sudo setcap cap_sys_nice+ep $(command -v wick), or ulimit -r 2"};
}

Finding rate() {
  std::string most = sysctl("kernel/perf_cpu_time_max_percent");
  return {
      .what = "sampling rate",
      .state = fmt::format("at most {} samples per second on each CPU{}",
                           sysctl("kernel/perf_event_max_sample_rate"),
                           most == "0" ? ""
                                       : fmt::format("; the kernel lowers it when sampling takes "
                                                     "more than {} % of the time",
                                                     most)),
      .remedy = ""};
}

Finding tracepoints() {
  Result<EventRequest> event = parse_event("sched:sched_switch");
  if (event) {
    event->period = 1;
    if (try_event(*event, {.pid = 0}, StackSource::kNone) == 0) {
      return {.what = "tracepoints", .state = "can be recorded"};
    }
    return {.what = "tracepoints",
            .verdict = Verdict::kLimited,
            .state = "visible, but cannot be recorded",
            .remedy = "sudo sysctl kernel.perf_event_paranoid=-1"};
  }
  return {.what = "tracepoints",
          .verdict = Verdict::kLimited,
          .state = "not visible: tracefs is not readable, or not mounted",
          .remedy =
              "sudo mount -t tracefs tracefs /sys/kernel/tracing; sudo mount -o "
              "remount,mode=755,gid=$(id -g) /sys/kernel/tracing"};
}

Finding bpf_programs() {
  if (SampleProgram::make()) {
    return {
        .what = "BPF",
        .state = "allowed: other processes cost nothing, and stacks deeper than 62 KB stay whole"};
  }
  return {.what = "BPF",
          .verdict = Verdict::kLimited,
          .state =
              "not allowed: samples of other processes are copied, then dropped, and stacks "
              "deeper than 62 KB may be cut",
          .remedy = "sudo setcap cap_perfmon,cap_bpf+ep $(command -v wick)"};
}

// A process of another user: the first one, or any other. None if there is none to be seen.
std::optional<int32_t> process_of_another_user() {
  for (int32_t pid : all_processes()) {
    if (other_owner_of(pid)) {
      return pid;
    }
  }
  return {};
}

// Attaching takes two permissions: to open events, for each thread or for each CPU, and to read the
// maps of a process, without which its samples have no names.
Finding other_processes() {
  constexpr const char* kWhat = "other users' processes";
  constexpr const char* kRemedy =
      "run as root, or sudo setcap cap_sys_ptrace,cap_perfmon+ep $(command -v wick)";
  std::optional<int32_t> other = process_of_another_user();
  if (!other) {
    bool can_attach = has_capability(Capability::kSysPtrace);
    return {.what = kWhat,
            .verdict = can_attach ? Verdict::kGood : Verdict::kLimited,
            .state = can_attach ? "wick can attach to them"
                                : "wick cannot attach to them; to yours it can",
            .remedy = can_attach ? "" : kRemedy};
  }
  EventRequest user{.name = "cpu-clock", .exclude_kernel = true};
  bool can_open = try_event(user, {.pid = *other}, StackSource::kCopy) == 0 || is_per_cpu_allowed();
  if (can_open && !hides_maps(*other)) {
    return {.what = kWhat, .state = "wick can attach to them"};
  }
  return {.what = kWhat,
          .verdict = Verdict::kLimited,
          .state = can_open ? "wick can attach to them, but not read which files they map: their "
                              "samples have no names and no callers"
                            : "wick cannot attach to them; to yours it can",
          .remedy = kRemedy};
}

bool is_event_allowed() {
  EventRequest user{.name = "cpu-clock", .exclude_kernel = true};
  return try_event(user, {.pid = 0}, StackSource::kNone) == 0;
}

Finding container() {
  std::string evidence = container_evidence();
  if (evidence.empty()) {
    return {.what = "container", .state = "none detected"};
  }
  bool works = is_event_allowed();
  return {
      .what = "container",
      .verdict = works ? Verdict::kGood : Verdict::kMissing,
      .state = fmt::format(
          "{}: {}",
          works ? "detected, and it allows recording" : "detected, and it forbids perf_event_open",
          evidence),
      .remedy = works ? "" : "docker run --cap-add PERFMON --security-opt seccomp=unconfined ..."};
}

Finding seccomp() {
  if (!seccomp_filters()) {
    return {.what = "seccomp", .state = "filters nothing"};
  }
  bool works = is_event_allowed();
  return {.what = "seccomp",
          .verdict = works ? Verdict::kGood : Verdict::kLimited,
          .state = works ? "filters system calls, but not perf_event_open"
                         : "filters system calls, perhaps perf_event_open",
          .remedy = works ? ""
                          : "start wick outside the filter (systemd: SystemCallFilter=, "
                            "docker: --security-opt seccomp=unconfined)"};
}

Finding debug_names() {
  bool has = ::access("/usr/lib/debug/.build-id", F_OK) == 0;
  return {.what = "debug packages",
          .verdict = has ? Verdict::kGood : Verdict::kLimited,
          .state = has ? "some installed under /usr/lib/debug"
                       : "none: stripped libraries show only the names of exported functions",
          .remedy = has ? "" : "sudo apt install libc6-dbg (and NAME-dbgsym of other packages)"};
}

// The cache with the names and unwind tables of earlier runs.
Finding symbol_cache() {
  FileCache cache = FileCache::of_this_user();
  constexpr double kMegabyte = 1 << 20;
  if (cache.is_on()) {
    return {.what = "symbol cache",
            .verdict = Finding::Verdict::kGood,
            .state = fmt::format("{:.1f} of {:.0f} MB in {} (change it: WICK_CACHE=2G or off)",
                                 static_cast<double>(cache.used_bytes()) / kMegabyte,
                                 static_cast<double>(cache.limit()) / kMegabyte,
                                 cache.directory()),
            .remedy = ""};
  }
  return {.what = "symbol cache",
          .verdict = Finding::Verdict::kLimited,
          .state = fmt::format("not used, so every run looks up names again: {}{}",
                               cache.directory().empty() ? "" : cache.directory() + ": ",
                               cache.problem()),
          .remedy = cache.limit() == 0 && !cache.directory().empty()
                        ? "unset WICK_CACHE, or give it a size: `export WICK_CACHE=512M`."
                        : "`export XDG_CACHE_HOME=DIRECTORY` with a directory of your own."};
}

}  // namespace

std::vector<Finding> examine_machine() {
  std::vector<Finding> findings = {own_programs(),
                                   kernel_time(),
                                   whole_machine(),
                                   bpf_programs(),
                                   hardware(),
                                   branch_stacks(),
                                   tracepoints(),
                                   kernel_names(),
                                   other_processes(),
                                   priority(),
                                   buffers(),
                                   descriptors(),
                                   rate(),
                                   container(),
                                   seccomp(),
                                   debug_names(),
                                   symbol_cache()};
  std::vector<Finding> timing = examine_for_timing({}).checks;
  findings.insert(findings.end(), timing.begin(), timing.end());
  return findings;
}

}  // namespace wick::record

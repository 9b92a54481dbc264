// SPDX-License-Identifier: Apache-2.0
#include "record/machine.h"

#include <array>
#include <charconv>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/parse_number.h"

namespace wick::record {

uint64_t monotonic_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

Scheduling current_scheduling() {
  sched_param parameter = {};
  ::sched_getparam(0, &parameter);
  return {.policy = ::sched_getscheduler(0),
          .real_time_priority = parameter.sched_priority,
          .nice = ::getpriority(PRIO_PROCESS, 0)};
}

void set_scheduling(const Scheduling& scheduling) {
  sched_param parameter = {};
  parameter.sched_priority = scheduling.real_time_priority;
  ::sched_setscheduler(0, scheduling.policy, &parameter);
  ::setpriority(PRIO_PROCESS, 0, scheduling.nice);
}

bool raise_priority(int real_time_priority) {
  sched_param parameter = {};
  parameter.sched_priority = real_time_priority;
  if (::sched_setscheduler(0, SCHED_FIFO, &parameter) == 0) {
    return true;
  }
  auto thread = static_cast<id_t>(::gettid());
  for (int nice : {-20, -10, -5}) {
    if (::setpriority(PRIO_PROCESS, thread, nice) == 0) {
      break;
    }
  }
  return false;
}

std::optional<std::vector<int>> parse_cpu_list(std::string_view text) {
  constexpr int kMaxCpus = 8192;
  std::vector<int> cpus;
  while (!text.empty()) {
    std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    size_t dash = part.find('-');
    std::optional<int> first = parse_number<int>(part.substr(0, dash));
    std::optional<int> last =
        dash == std::string_view::npos ? first : parse_number<int>(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= kMaxCpus) {
      return {};
    }
    for (int cpu = *first; cpu <= *last; ++cpu) {
      cpus.push_back(cpu);
    }
  }
  return cpus;
}

std::vector<int> online_cpus() {
  std::optional<std::string> list = read_line("/sys/devices/system/cpu/online");
  if (std::optional<std::vector<int>> cpus = parse_cpu_list(list.value_or(""));
      cpus && !cpus->empty()) {
    return *cpus;
  }
  std::vector<int> cpus;
  for (int cpu = 0; cpu < ::sysconf(_SC_NPROCESSORS_ONLN); ++cpu) {
    cpus.push_back(cpu);
  }
  return cpus;
}

std::optional<std::string> read_line(const std::string& path) {
  if (::access(path.c_str(), R_OK) != 0) {
    return {};
  }
  std::string text = read_text(path);
  return text.substr(0, text.find('\n'));
}

std::optional<int64_t> read_number(const std::string& path) {
  std::optional<std::string> line = read_line(path);
  return line ? parse_number<int64_t>(*line) : std::nullopt;
}

const rlimit& original_descriptor_limit() {
  static const rlimit kOriginal = [] {
    rlimit limit = {};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    return limit;
  }();
  return kOriginal;
}

uint64_t raise_descriptor_limit() {
  rlimit limit = original_descriptor_limit();
  if (limit.rlim_cur < limit.rlim_max) {
    rlimit raised = {limit.rlim_max, limit.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) {
      return raised.rlim_cur;
    }
  }
  return limit.rlim_cur;
}

bool has_capability(Capability capability) {
  static const uint64_t kEffective = [] {
    std::string status = read_text("/proc/self/status");
    uint64_t bits = ::geteuid() == 0 && status.empty() ? ~uint64_t{0} : 0;
    size_t at = status.find("\nCapEff:\t");
    if (at != std::string::npos) {
      const char* digits = status.data() + at + std::strlen("\nCapEff:\t");
      std::from_chars(digits, status.data() + status.size(), bits, 16);
    }
    return bits;
  }();
  auto has = [&](Capability one) { return (kEffective >> static_cast<unsigned>(one) & 1) != 0; };
  bool part_of_admin = capability == Capability::kPerfmon || capability == Capability::kBpf ||
                       capability == Capability::kCheckpointRestore ||
                       capability == Capability::kSysLog;
  return has(capability) || (part_of_admin && has(Capability::kSysAdmin));
}

}  // namespace wick::record

// SPDX-License-Identifier: Apache-2.0
// Settings and limits of this machine: clocks, priorities, limits and switches under /proc/sys. The
// functions change only the calling thread or this process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/resource.h>

#include "base/small_file.h"

namespace wick::record {

uint64_t monotonic_ns();

// Real-time priorities: the reader of the rings comes before the threads that unwind.
inline constexpr int kDrainPriority = 2;
inline constexpr int kUnwindPriority = 1;

// The scheduling of a thread.
struct Scheduling {
  int policy = 0;
  int real_time_priority = 0;
  int nice = 0;
};
Scheduling current_scheduling();
void set_scheduling(const Scheduling& scheduling);

// Lets the calling thread (and threads that it starts) run before all ordinary ones; if that is not
// allowed, lowers its nice value as far as possible. True for real time.
bool raise_priority(int real_time_priority);

// CPUs that are online, lowest first.
std::vector<int> online_cpus();
// Parses "0-3,8"; none if the text is not such a list.
std::optional<std::vector<int>> parse_cpu_list(std::string_view text);

// The first line of a small file, for example in /proc or /sys; none if it cannot be read.
std::optional<std::string> read_line(const std::string& path);
std::optional<int64_t> read_number(const std::string& path);

// The limit with which wick was started; for its children.
const rlimit& original_descriptor_limit();
// Raises the soft limit of descriptors to the hard one; returns the new limit.
uint64_t raise_descriptor_limit();

enum class Capability : uint8_t {
  kIpcLock = 14,
  kSysPtrace = 19,
  kSysAdmin = 21,
  kSysNice = 23,
  kSysLog = 34,
  kPerfmon = 38,
  kBpf = 39,
  kCheckpointRestore = 40,
};
// Whether this process has the capability. Before 5.8 kPerfmon and kBpf are parts of kSysAdmin,
// which still includes them.
bool has_capability(Capability capability);

}  // namespace wick::record

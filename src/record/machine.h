// What this machine allows and how it is set, asked once where it is needed: clocks, priorities,
// limits and switches under /proc/sys. Nothing here changes anything but the calling thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/resource.h>

namespace wick::record {

uint64_t monotonic_ns();

// Real-time priorities: the reader of the rings before those who unwind.
inline constexpr int kDrainPriority = 2;
inline constexpr int kUnwindPriority = 1;

// How a thread is scheduled.
struct Scheduling {
  int policy = 0;
  int real_time_priority = 0;
  int nice = 0;
};
Scheduling current_scheduling();
void set_scheduling(const Scheduling& scheduling);

// The calling thread (and threads that it starts) runs before all ordinary ones; where that is not
// allowed, as nice as it may. True for real time.
bool raise_priority(int real_time_priority);

// CPUs that are online, lowest first.
std::vector<int> online_cpus();
// "0-3,8" to numbers; nothing when it is no such list.
std::optional<std::vector<int>> parse_cpu_list(std::string_view text);

// The first line of a small file, as of /proc and /sys; nothing when it cannot be read.
std::optional<std::string> read_line(const std::string& path);
std::optional<int64_t> read_number(const std::string& path);
// All of a small file; empty when it cannot be read.
std::string read_text(const std::string& path);

// What wick was started with: for its children.
const rlimit& original_descriptor_limit();
// Descriptors: the soft limit is raised to the hard one; the result is what is allowed now.
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
// Whether this process has it in effect. Before 5.8 kPerfmon and kBpf are parts of kSysAdmin, which
// includes them to this day.
bool has_capability(Capability capability);

}  // namespace wick::record

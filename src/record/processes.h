// What already runs when a recording begins, told as if it had just happened: /proc to names and
// maps. The kernel reports only what changes from now on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stream/event.h"

namespace wick::record {

// One line of /proc/PID/maps that is executable or shows a file: address range, offset and path.
// Nothing for others.
std::optional<MapEvent> parse_maps_line(std::string_view line);

// Its command and parent, the names of all its threads, and its maps. False when there is no such
// process, or it cannot be read.
bool tell_process(int32_t pid, uint64_t now, EventSink& sink);

// Where the kernel's text and its modules are.
void tell_kernel(uint64_t now, EventSink& sink);

// All processes; numbers only.
std::vector<int32_t> all_processes();
std::vector<int32_t> threads_of(int32_t pid);
// These processes and all that descend from them.
std::vector<int32_t> with_descendants(const std::vector<int32_t>& pids);
// All processes, in two parts: those above, and the others.
struct Relations {
  std::vector<int32_t> descendants;
  std::vector<int32_t> strangers;
};
Relations relations_to(const std::vector<int32_t>& pids);
// Those that have started since: only they are asked for their parents.
void add_newcomers(Relations& relations);
// Processes whose name (as in comm, or the last part of the command) is this.
std::vector<int32_t> processes_named(std::string_view name);

// The number of the user whose process it is; nothing when it is ours, or nobody's.
std::optional<uint32_t> other_owner_of(int32_t pid);
bool is_alive(int32_t pid);

// CPU time of a process as the kernel accounts it, its ended threads included; to a clock tick.
struct CpuTime {
  int64_t user_ns = 0;
  int64_t system_ns = 0;
  friend CpuTime operator-(CpuTime a, const CpuTime& b) {
    return {a.user_ns - b.user_ns, a.system_ns - b.system_ns};
  }
};
std::optional<CpuTime> cpu_time_of(int32_t pid);

}  // namespace wick::record

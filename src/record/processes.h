// SPDX-License-Identifier: Apache-2.0
// The processes that already run when a recording begins, as events: names and maps from /proc. The
// kernel reports only later changes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stream/event.h"

namespace wick::record {

// Parses a line of /proc/PID/maps that is executable or maps a file: address range, offset and
// path. None for other lines.
std::optional<MapEvent> parse_maps_line(std::string_view line);

// Sends its command and parent, the names of all its threads, and its maps. False if there is no
// such process, or it cannot be read.
bool report_process(int32_t pid, uint64_t now, EventSink& sink);

// Sends the locations of the kernel's text and its modules.
void report_kernel(uint64_t now, EventSink& sink);

// The pids of all processes.
std::vector<int32_t> all_processes();
std::vector<int32_t> threads_of(int32_t pid);
// These processes and all their descendants.
std::vector<int32_t> with_descendants(const std::vector<int32_t>& pids);
// All processes, in two lists: those with_descendants() returns, and the others.
struct Relations {
  std::vector<int32_t> descendants;
  std::vector<int32_t> other_processes;
};
Relations relations_to(const std::vector<int32_t>& pids);
// Adds the processes that have started since then; reads the parents of only those.
void add_newcomers(Relations& relations);
// Processes with this name (in comm, or as the last part of the command).
std::vector<int32_t> processes_named(std::string_view name);

// The uid of a process's owner; none if it is wick's own user, or if there is no such process.
std::optional<uint32_t> other_owner_of(int32_t pid);
// Whether wick may not read the maps of a process, which belongs to another user.
bool hides_maps(int32_t pid);
bool is_alive(int32_t pid);

// CPU time of a process in the kernel's accounting, including its ended threads; accurate to a
// clock tick.
struct CpuTime {
  int64_t user_ns = 0;
  int64_t system_ns = 0;
  friend CpuTime operator-(CpuTime a, const CpuTime& b) {
    return {a.user_ns - b.user_ns, a.system_ns - b.system_ns};
  }
};
std::optional<CpuTime> cpu_time_of(int32_t pid);

}  // namespace wick::record

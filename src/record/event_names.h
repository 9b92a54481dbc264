// SPDX-License-Identifier: Apache-2.0
// Events by perf's names.
//
//     cpu-clock  page-faults  context-switches  ...   software, always available
//     cycles  instructions  cache-misses  ...         hardware
//     L1-dcache-load-misses  ...                      hardware caches
//     r1a8                                            raw: number from the processor's manual
//     cpu/event=0x3c,umask=0x0/                       a PMU's own terms, from sysfs
//     sched:sched_switch                              a tracepoint, from tracefs
//
// After a name, ":u" excludes the kernel, ":k" excludes the program, and each "p" asks for more
// precision.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/perf_event.h"

namespace wick::record {

// Parses one name; sets no sampling rate.
Result<EventRequest> parse_event(std::string_view text);
// Parses several, separated by commas; a comma between slashes belongs to the name.
Result<std::vector<EventRequest>> parse_events(std::string_view text);

// "cycles" if the processor counts them, else "cpu-clock".
EventRequest default_event();

}  // namespace wick::record

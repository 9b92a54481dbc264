// Events by the names that perf gives them.
//
//     cpu-clock  page-faults  context-switches  ...   software, always there
//     cycles  instructions  cache-misses  ...         hardware
//     L1-dcache-load-misses  ...                      hardware caches
//     r1a8                                            raw: what the processor's manual says
//     cpu/event=0x3c,umask=0x0/                       a PMU's own words, from sysfs
//     sched:sched_switch                              a tracepoint, from tracefs
//
// Behind a name, ":u" leaves out the kernel, ":k" the program, and each "p" asks for more
// precision.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/perf_event.h"

namespace wick::record {

// One name, without sampling.
Result<EventRequest> parse_event(std::string_view text);
// Several, separated by commas; a comma between slashes belongs to the name.
Result<std::vector<EventRequest>> parse_events(std::string_view text);

// "cycles" where the processor counts them, else "cpu-clock".
EventRequest default_event();

}  // namespace wick::record

// What an event is called when nobody wrote its name down.
//
// Names come, best first, from the EVENT_DESC feature or an EVENT_UPDATE record (what the user
// typed), from the tracing data (tracepoints have numbers that differ from machine to machine),
// from the event types of version 1, and from type and config, by perf's own words.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "formats/perf_data/attr.h"

namespace wick::perf_data {

// What a recording says about numbers that only its machine knew.
struct NameSources {
  std::map<uint64_t, std::string> tracepoints;  // config -> "sched:sched_switch"
  std::map<uint32_t, std::string> pmus;         // type -> "cpu_core"
  std::map<uint64_t, std::string> event_types;  // config -> name, in version 1 and old pipes
  // (type, config) -> name, as simpleperf's meta info has it
  std::map<std::pair<uint32_t, uint64_t>, std::string> simpleperf;
};

// "cycles:u", "cpu-clock", "L1-dcache-load-misses", "sched:sched_switch", "raw 0x1c2"
std::string event_name(const EventAttr& attr, const NameSources& sources);

}  // namespace wick::perf_data

// The names of the kernel's events, in both directions: what a user types for an event, and what an
// event is called that the recording has no name for.
//
// In a recording names come, best first, from the EVENT_DESC feature or an EVENT_UPDATE record
// (what the user typed), from the tracing data (tracepoints have numbers that differ from machine
// to machine), from the event types of version 1, and from type and config, by perf's own words.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kernel_records/attr.h"

namespace wick::kernel_records {

// What a recording says about numbers that only its machine knew.
struct EventNameSources {
  std::map<uint64_t, std::string> tracepoints;  // config -> "sched:sched_switch"
  std::map<uint32_t, std::string> pmus;         // type -> "cpu_core"
  std::map<uint64_t, std::string> event_types;  // config -> name, in version 1 and old pipes
  // (type, config) -> name, as simpleperf's meta info has it
  std::map<std::pair<uint32_t, uint64_t>, std::string> simpleperf;
};

// An event of the kernel that is the same on every machine.
struct NamedEvent {
  std::string_view name;
  uint32_t type = kHardware;
  uint64_t config = 0;
};

// Hardware and software events, with second names for some.
std::span<const NamedEvent> named_events();
// One of them, or a cache event ("LLC-loads", "L1-dcache-load-misses").
std::optional<NamedEvent> find_event(std::string_view name);

// "cycles:u", "cpu-clock", "L1-dcache-load-misses", "sched:sched_switch", "raw 0x1c2"
std::string event_name(const EventAttr& attr, const EventNameSources& sources);

}  // namespace wick::kernel_records

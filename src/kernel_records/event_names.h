// SPDX-License-Identifier: Apache-2.0
// The names of the kernel's events, in both directions: from the name that a user types to the
// event, and from an event without a recorded name to its name.
//
// A recording has several sources of names. Best first: the EVENT_DESC feature or an EVENT_UPDATE
// record (the name that the user typed); the tracing data (the numbers of tracepoints differ from
// machine to machine); the event types of version 1; type and config, named as perf names them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kernel_records/attr.h"

namespace wick::kernel_records {

// Names in a recording for numbers that only its machine can interpret.
struct EventNameSources {
  std::map<uint64_t, std::string> tracepoints;  // config -> "sched:sched_switch"
  std::map<uint32_t, std::string> pmus;         // type -> "cpu_core"
  std::map<uint64_t, std::string> event_types;  // config -> name, in version 1 and old pipes
  // (type, config) -> name, as simpleperf's meta info has it
  std::map<std::pair<uint32_t, uint64_t>, std::string> simpleperf;
};

// An event of the kernel that has the same number on every machine.
struct NamedEvent {
  std::string_view name;
  uint32_t type = kHardware;
  uint64_t config = 0;
};

// Hardware and software events; some have a second name.
std::span<const NamedEvent> named_events();
// One of these events, or a cache event ("LLC-loads", "L1-dcache-load-misses").
std::optional<NamedEvent> find_event(std::string_view name);

// "cycles:u", "cpu-clock", "L1-dcache-load-misses", "sched:sched_switch", "raw 0x1c2"
std::string event_name(const EventAttr& attr, const EventNameSources& sources);

}  // namespace wick::kernel_records

// SPDX-License-Identifier: Apache-2.0
#include "kernel_records/event_names.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace wick::kernel_records {
namespace {

// If several rows describe the same event, the first one is the name to print.
constexpr std::array kNamedEvents = {
    NamedEvent{"cpu-clock", kSoftware, 0},
    NamedEvent{"task-clock", kSoftware, 1},
    NamedEvent{"page-faults", kSoftware, 2},
    NamedEvent{"faults", kSoftware, 2},
    NamedEvent{"context-switches", kSoftware, 3},
    NamedEvent{"cs", kSoftware, 3},
    NamedEvent{"cpu-migrations", kSoftware, 4},
    NamedEvent{"migrations", kSoftware, 4},
    NamedEvent{"minor-faults", kSoftware, 5},
    NamedEvent{"major-faults", kSoftware, 6},
    NamedEvent{"alignment-faults", kSoftware, 7},
    NamedEvent{"emulation-faults", kSoftware, 8},
    NamedEvent{"dummy", kSoftware, 9},
    NamedEvent{"bpf-output", kSoftware, 10},
    NamedEvent{"cgroup-switches", kSoftware, 11},
    NamedEvent{"cycles", kHardware, 0},
    NamedEvent{"cpu-cycles", kHardware, 0},
    NamedEvent{"instructions", kHardware, 1},
    NamedEvent{"cache-references", kHardware, 2},
    NamedEvent{"cache-misses", kHardware, 3},
    NamedEvent{"branches", kHardware, 4},
    NamedEvent{"branch-instructions", kHardware, 4},
    NamedEvent{"branch-misses", kHardware, 5},
    NamedEvent{"bus-cycles", kHardware, 6},
    NamedEvent{"stalled-cycles-frontend", kHardware, 7},
    NamedEvent{"stalled-cycles-backend", kHardware, 8},
    NamedEvent{"ref-cycles", kHardware, 9},
};

// A cache event's config: cache in the low byte, then operation, then result.
constexpr std::array<std::string_view, 7> kCaches = {
    "L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node"};
struct CacheOperation {
  std::string_view one;
  std::string_view several;
};
constexpr std::array kOperations = {CacheOperation{"load", "loads"},
                                    CacheOperation{"store", "stores"},
                                    CacheOperation{"prefetch", "prefetches"}};

std::string named_or_unknown(uint32_t type, uint64_t config, std::string_view what) {
  auto named = std::ranges::find_if(kNamedEvents, [&](const NamedEvent& event) {
    return event.type == type && event.config == config;
  });
  return named != kNamedEvents.end() ? std::string(named->name)
                                     : fmt::format("unknown {} event {:#x}", what, config);
}

std::string cache_name(uint64_t config) {
  uint64_t cache = config & 0xFF;
  uint64_t operation = config >> 8 & 0xFF;
  uint64_t result = config >> 16 & 0xFF;
  if (cache >= kCaches.size() || operation >= kOperations.size() || result > 1) {
    return fmt::format("unknown cache event {:#x}", config);
  }
  return result == 0 ? fmt::format("{}-{}", kCaches[cache], kOperations[operation].several)
                     : fmt::format("{}-{}-misses", kCaches[cache], kOperations[operation].one);
}

std::string breakpoint_name(const EventAttr& attr) {
  std::string access;
  for (auto [bit, letter] : {std::pair{1U, 'r'}, {2U, 'w'}, {4U, 'x'}}) {
    if ((attr.breakpoint_type & bit) != 0) {
      access += letter;
    }
  }
  return fmt::format("mem:{:#x}/{}:{}", attr.breakpoint_address, attr.breakpoint_length, access);
}

// ":u", ":kpp": which modes are counted, and how precise addresses must be. The modes appear only
// if some are excluded.
std::string modifiers(const EventAttr& attr) {
  std::string letters;
  bool some_left_out = attr.has(AttrFlag::kExcludeUser) || attr.has(AttrFlag::kExcludeKernel) ||
                       attr.has(AttrFlag::kExcludeHypervisor);
  auto add_counted = [&](AttrFlag excluded, char letter) {
    if (!attr.has(excluded)) {
      letters += letter;
    }
  };
  if (some_left_out) {
    add_counted(AttrFlag::kExcludeKernel, 'k');
    add_counted(AttrFlag::kExcludeUser, 'u');
    add_counted(AttrFlag::kExcludeHypervisor, 'h');
  }
  letters.append(attr.precise(), 'p');
  // Modifiers exclude guests on purpose; without modifiers guests are excluded by default.
  bool guests_left_out_by_default = !letters.empty();
  if (attr.has(AttrFlag::kExcludeHost) ||
      attr.has(AttrFlag::kExcludeGuest) == guests_left_out_by_default) {
    add_counted(AttrFlag::kExcludeHost, 'H');
    add_counted(AttrFlag::kExcludeGuest, 'G');
  }
  return letters.empty() ? "" : ":" + letters;
}

template <typename Key>
const std::string* find_in(const std::map<Key, std::string>& names, const Key& key) {
  auto found = names.find(key);
  return found == names.end() ? nullptr : &found->second;
}

// Processors with two kinds of cores have the PMU's number in the upper half of the config.
std::string hardware_name(const EventAttr& attr, const EventNameSources& sources) {
  auto pmu = static_cast<uint32_t>(attr.config >> 32);
  uint64_t config = attr.config & 0xFFFF'FFFF;
  std::string name = attr.type == kHardwareCache ? cache_name(config)
                                                 : named_or_unknown(kHardware, config, "hardware");
  const std::string* pmu_name = pmu == 0 ? nullptr : find_in(sources.pmus, pmu);
  return pmu_name == nullptr ? name + modifiers(attr)
                             : fmt::format("{}/{}{}/", *pmu_name, name, modifiers(attr));
}

// "L1-dcache-load-misses", "LLC-loads"
std::optional<NamedEvent> find_cache_event(std::string_view name) {
  for (uint64_t cache = 0; cache < kCaches.size(); ++cache) {
    if (!name.starts_with(kCaches[cache]) || name.substr(kCaches[cache].size(), 1) != "-") {
      continue;
    }
    std::string_view rest = name.substr(kCaches[cache].size() + 1);
    for (uint64_t operation = 0; operation < kOperations.size(); ++operation) {
      auto [one, several] = kOperations[operation];
      bool misses = rest.starts_with(one) && rest.substr(one.size()) == "-misses";
      if (misses || rest == several) {
        uint64_t result = misses ? 1 : 0;
        return NamedEvent{name, kHardwareCache, cache | operation << 8 | result << 16};
      }
    }
  }
  return {};
}

}  // namespace

std::span<const NamedEvent> named_events() {
  return kNamedEvents;
}

std::optional<NamedEvent> find_event(std::string_view name) {
  auto named = std::ranges::find(kNamedEvents, name, &NamedEvent::name);
  return named != kNamedEvents.end() ? *named : find_cache_event(name);
}

std::string event_name(const EventAttr& attr, const EventNameSources& sources) {
  if (const std::string* name = find_in(sources.simpleperf, {attr.type, attr.config})) {
    return *name;
  }
  switch (attr.type) {
    case kHardware:
    case kHardwareCache:
      return hardware_name(attr, sources);
    case kSoftware:
      return named_or_unknown(kSoftware, attr.config, "software") + modifiers(attr);
    case kTracepoint:
      if (const std::string* name = find_in(sources.tracepoints, attr.config)) {
        return *name;
      }
      break;
    case kBreakpoint:
      return breakpoint_name(attr) + modifiers(attr);
    case kRaw:
    default:
      break;
  }
  if (const std::string* name = find_in(sources.event_types, attr.config)) {
    return *name;
  }
  if (attr.type == kTracepoint) {
    return fmt::format("tracepoint {}", attr.config);
  }
  if (attr.type == kRaw) {
    return fmt::format("raw {:#x}{}", attr.config, modifiers(attr));
  }
  const std::string* pmu = find_in(sources.pmus, attr.type);
  return pmu == nullptr ? fmt::format("pmu {} {:#x}", attr.type, attr.config)
                        : fmt::format("{}/{:#x}/{}", *pmu, attr.config, modifiers(attr));
}

}  // namespace wick::kernel_records

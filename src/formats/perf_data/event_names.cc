#include "formats/perf_data/event_names.h"

#include <array>

#include <fmt/format.h>

namespace wick::perf_data {
namespace {

constexpr std::array<std::string_view, 10> kHardwareNames = {"cycles",
                                                             "instructions",
                                                             "cache-references",
                                                             "cache-misses",
                                                             "branches",
                                                             "branch-misses",
                                                             "bus-cycles",
                                                             "stalled-cycles-frontend",
                                                             "stalled-cycles-backend",
                                                             "ref-cycles"};

constexpr std::array<std::string_view, 12> kSoftwareNames = {"cpu-clock",
                                                             "task-clock",
                                                             "page-faults",
                                                             "context-switches",
                                                             "cpu-migrations",
                                                             "minor-faults",
                                                             "major-faults",
                                                             "alignment-faults",
                                                             "emulation-faults",
                                                             "dummy",
                                                             "bpf-output",
                                                             "cgroup-switches"};

// A cache event's config: cache in the low byte, then operation, then result.
constexpr std::array<std::string_view, 7> kCaches = {
    "L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node"};
constexpr std::array<std::string_view, 3> kOperations = {"load", "store", "prefetch"};
constexpr std::array<std::string_view, 3> kOperationsCounted = {"loads", "stores", "prefetches"};

std::string cache_name(uint64_t config) {
  uint64_t cache = config & 0xFF;
  uint64_t operation = config >> 8 & 0xFF;
  uint64_t result = config >> 16 & 0xFF;
  if (cache >= kCaches.size() || operation >= kOperations.size() || result > 1) {
    return fmt::format("unknown cache event {:#x}", config);
  }
  return result == 0 ? fmt::format("{}-{}", kCaches[cache], kOperationsCounted[operation])
                     : fmt::format("{}-{}-misses", kCaches[cache], kOperations[operation]);
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

// ":u", ":kpp": which modes were counted, how precisely the address was wanted. Modes are only told
// when some were left out.
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
  // Guests are left out on purpose by modifiers, and by default otherwise.
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

// Processors with two kinds of cores name the PMU in the upper half of the config.
std::string hardware_name(const EventAttr& attr, const NameSources& sources) {
  auto pmu = static_cast<uint32_t>(attr.config >> 32);
  uint64_t config = attr.config & 0xFFFF'FFFF;
  std::string name;
  if (attr.type == kHardwareCache) {
    name = cache_name(config);
  } else {
    name = config < kHardwareNames.size() ? kHardwareNames[config]
                                          : fmt::format("unknown hardware event {:#x}", config);
  }
  const std::string* pmu_name = pmu == 0 ? nullptr : find_in(sources.pmus, pmu);
  return pmu_name == nullptr ? name + modifiers(attr)
                             : fmt::format("{}/{}{}/", *pmu_name, name, modifiers(attr));
}

}  // namespace

std::string event_name(const EventAttr& attr, const NameSources& sources) {
  if (const std::string* name = find_in(sources.simpleperf, {attr.type, attr.config})) {
    return *name;
  }
  switch (attr.type) {
    case kHardware:
    case kHardwareCache:
      return hardware_name(attr, sources);
    case kSoftware:
      return (attr.config < kSoftwareNames.size()
                  ? std::string(kSoftwareNames[attr.config])
                  : fmt::format("unknown software event {:#x}", attr.config)) +
             modifiers(attr);
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

}  // namespace wick::perf_data

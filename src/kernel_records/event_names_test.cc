// SPDX-License-Identifier: Apache-2.0
#include "kernel_records/event_names.h"

#include <gtest/gtest.h>

#include "kernel_records/testing.h"

namespace wick::kernel_records {
namespace {

using testing::flag;

std::string name(uint32_t type,
                 uint64_t config,
                 uint64_t flags,
                 const EventNameSources& sources = {}) {
  EventAttr attr;
  attr.type = type;
  attr.config = config;
  attr.flags = flags;
  return event_name(attr, sources);
}

constexpr uint64_t kOrdinary = uint64_t{1} << static_cast<unsigned>(AttrFlag::kExcludeGuest);

TEST(EventNames, AsPerfSaysThem) {
  EXPECT_EQ(name(kHardware, 0, kOrdinary), "cycles");
  EXPECT_EQ(name(kHardware, 4, kOrdinary), "branches");
  EXPECT_EQ(name(kSoftware, 1, kOrdinary), "task-clock");
  EXPECT_EQ(name(kSoftware, 9, kOrdinary), "dummy");
  EXPECT_EQ(name(kHardwareCache, 0x10000, kOrdinary), "L1-dcache-load-misses");
  EXPECT_EQ(name(kHardwareCache, 0x00102, kOrdinary), "LLC-stores");
  EXPECT_EQ(name(kRaw, 0x1c2, kOrdinary), "raw 0x1c2");
  EXPECT_EQ(name(kHardware, 99, kOrdinary), "unknown hardware event 0x63");
  EXPECT_EQ(name(kHardwareCache, 0xFF, kOrdinary), "unknown cache event 0xff");
}

TEST(EventNames, Modifiers) {
  uint64_t user = flag(AttrFlag::kExcludeKernel) | flag(AttrFlag::kExcludeHypervisor);
  EXPECT_EQ(name(kHardware, 0, user), "cycles:u");
  uint64_t kernel = flag(AttrFlag::kExcludeUser) | flag(AttrFlag::kExcludeHypervisor);
  EXPECT_EQ(name(kHardware, 0, kernel), "cycles:k");
  EXPECT_EQ(name(kHardware, 0, uint64_t{2} << 15), "cycles:pp");
  EXPECT_EQ(name(kHardware, 0, uint64_t{2} << 15 | kOrdinary), "cycles:ppH");
  EXPECT_EQ(name(kHardware, 0, 0), "cycles:HG");
}

TEST(EventNames, NumbersThatOnlyTheMachineKnew) {
  EventNameSources sources;
  sources.tracepoints[314] = "sched:sched_switch";
  sources.pmus[8] = "cpu_core";
  sources.event_types[7] = "old-name";
  sources.simpleperf[{2, 47}] = "sched:sched_switch";
  EXPECT_EQ(name(kTracepoint, 314, kOrdinary, sources), "sched:sched_switch");
  EXPECT_EQ(name(kTracepoint, 47, kOrdinary, sources), "sched:sched_switch");
  EXPECT_EQ(name(kTracepoint, 315, kOrdinary, sources), "tracepoint 315");
  EXPECT_EQ(name(kHardware, uint64_t{8} << 32, kOrdinary, sources), "cpu_core/cycles/");
  EXPECT_EQ(name(8, 0x3C, kOrdinary, sources), "cpu_core/0x3c/");
  EXPECT_EQ(name(9, 0x3C, kOrdinary, sources), "pmu 9 0x3c");
  EXPECT_EQ(name(9, 7, kOrdinary, sources), "old-name");
}

TEST(EventNames, Breakpoints) {
  EventAttr attr;
  attr.type = kBreakpoint;
  attr.flags = kOrdinary;
  attr.breakpoint_type = 3;
  attr.breakpoint_address = 0x1000;
  attr.breakpoint_length = 4;
  EXPECT_EQ(event_name(attr, {}), "mem:0x1000/4:rw");
}

TEST(EventNames, EveryPrintedNameIsFound) {
  for (const NamedEvent& event : named_events()) {
    std::optional<NamedEvent> printed = find_event(name(event.type, event.config, kOrdinary));
    ASSERT_TRUE(printed) << event.name;
    EXPECT_EQ(printed->type, event.type) << event.name;
    EXPECT_EQ(printed->config, event.config) << event.name;
  }
  for (uint64_t cache = 0; cache < 7; ++cache) {
    for (uint64_t operation = 0; operation < 3; ++operation) {
      for (uint64_t result = 0; result < 2; ++result) {
        uint64_t config = cache | operation << 8 | result << 16;
        std::optional<NamedEvent> printed = find_event(name(kHardwareCache, config, kOrdinary));
        ASSERT_TRUE(printed) << config;
        EXPECT_EQ(printed->config, config);
      }
    }
  }
  EXPECT_FALSE(find_event("LLC-loades"));
  EXPECT_FALSE(find_event("LLC"));
  EXPECT_FALSE(find_event(""));
}

}  // namespace
}  // namespace wick::kernel_records

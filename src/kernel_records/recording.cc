// SPDX-License-Identifier: Apache-2.0
#include "kernel_records/recording.h"

#include <utility>

#include <fmt/format.h>

#include "kernel_records/sample.h"

namespace wick::kernel_records {
namespace {

Architecture architecture_of(std::string_view machine) {
  if (machine == "x86_64" || machine == "amd64") {
    return Architecture::kX86_64;
  }
  if (machine == "aarch64" || machine == "arm64" || machine.starts_with("armv8")) {
    return Architecture::kAarch64;
  }
  if (machine.starts_with("arm")) {
    return Architecture::kArm;
  }
  if (machine == "x86" || (machine.size() == 4 && machine[0] == 'i' && machine.ends_with("86"))) {
    return Architecture::kX86;
  }
  return machine.empty() ? Architecture::kUnknown : Architecture::kOther;
}

// Pipes of old perf versions do not name their machine, but the requested registers reveal it:
// AArch64 has a 33rd register (pc), and only x86-64 has this gap in the positions of segment
// registers.
Architecture architecture_of(const EventTable& events) {
  constexpr uint64_t kAarch64Pc = uint64_t{1} << 32;
  constexpr uint64_t kX86_64General = 0xFF0FFF;
  for (uint32_t i = 0; i < events.size(); ++i) {
    uint64_t registers = events[i].attr.user_registers;
    if ((registers & kAarch64Pc) != 0) {
      return Architecture::kAarch64;
    }
    if (registers == kX86_64General) {
      return Architecture::kX86_64;
    }
  }
  return Architecture::kUnknown;
}

std::string fields_text(const EventAttr& attr) {
  std::string text;
  auto add = [&](bool recorded, std::string_view what) {
    if (recorded) {
      text += text.empty() ? " with " : ", ";
      text += what;
    }
  };
  add(attr.samples(kSampleCallchain), "call chains");
  add(attr.samples(kSampleBranchStack),
      (attr.branch_sample_type & kBranchCallStack) != 0 ? "hardware call stacks" : "branches");
  add(attr.samples(kSampleRegsUser), "user registers");
  add(attr.samples(kSampleStackUser), fmt::format("{} bytes of stack", attr.user_stack_bytes));
  add(attr.samples(kSampleRaw), "raw data");
  add(attr.samples(kSampleRead), "counter values");
  return text;
}

std::string sampling_text(const EventAttr& attr) {
  bool frequency = attr.has(AttrFlag::kFrequency);
  if (!frequency && attr.period_or_frequency == 0) {
    return "counted with its group" + fields_text(attr);  // perf record -e '{a,b}:S'
  }
  std::string_view unit = attr.is_clock() ? " ns" : "";
  std::string how = frequency ? fmt::format("{} times a second", attr.period_or_frequency)
                              : fmt::format("once in {}{}", attr.period_or_frequency, unit);
  return how + fields_text(attr);
}

}  // namespace

ClockKind clock_kind(uint32_t number) {
  switch (number) {
    case 0:
      return ClockKind::kRealtime;
    case 1:
      return ClockKind::kMonotonic;
    case 4:
      return ClockKind::kMonotonicRaw;
    case 7:
      return ClockKind::kBoottime;
    case 11:
      return ClockKind::kTai;
    default:
      return ClockKind::kUnknown;
  }
}

uint32_t Recording::add_event(const EventAttr& attr) {
  uint32_t number = events.add(attr);
  to_announce_.push_back(number);
  descriptions_applied_ = false;
  announced_ = false;
  return number;
}

void Recording::describe_event(const EventAttr& attr,
                               std::string_view name,
                               std::vector<uint64_t> ids) {
  if (descriptions_.size() == EventTable::kMaxEvents) {
    account.lose({.reason = "there are more descriptions than possible events", .what = "events"});
    return;
  }
  descriptions_.push_back({attr, std::string(name), std::move(ids)});
  descriptions_applied_ = false;
  announced_ = false;
}

void Recording::restore_events() {
  for (const Description& description : descriptions_) {
    add_event(description.attr);
  }
  apply_descriptions();
}

// The rows are in the order of the events; if they have ids, the ids take precedence.
void Recording::apply_descriptions() {
  // Recorders send all events at once, or a few; the bound protects against damaged files.
  constexpr int kMaxTimes = 64;
  descriptions_applied_ = true;
  if (!descriptions_.empty() && ++times_applied_ > kMaxTimes) {
    account.lose({.reason = "events were described too often, between other records",
                  .what = "events",
                  .notice = true});
    return;
  }
  for (uint32_t row = 0; row < descriptions_.size(); ++row) {
    Description& description = descriptions_[row];
    uint32_t event = EventTable::kUnknown;
    if (row < events.size() && events[row].attr.type == description.attr.type &&
        events[row].attr.config == description.attr.config) {
      event = row;
    }
    for (uint64_t id : description.ids) {
      uint32_t owner = events.find(id);
      event = owner != EventTable::kUnknown ? owner : event;
    }
    if (event == EventTable::kUnknown) {
      continue;
    }
    for (uint64_t id : description.ids) {
      events.add_id(event, id);
    }
    if (events[event].name.empty()) {
      events[event].name = description.name;
    }
  }
}

void Recording::announce_now() {
  announced_ = true;
  if (!descriptions_applied_) {
    apply_descriptions();
  }
  if (!host_announced_) {
    announce_host();
  }
  if (!clock_announced_) {
    announce_clock();
  }
  for (uint32_t number : std::exchange(to_announce_, {})) {
    announce_event(number);
  }
}

void Recording::announce_host() {
  host_announced_ = true;
  Architecture architecture = architecture_of(machine);
  if (architecture == Architecture::kUnknown) {
    architecture = architecture_of(events);
  }
  sink.on_host({.architecture = architecture, .name = host_name, .kernel_release = kernel_release});
}

void Recording::set_clock(const ClockEvent& clock) {
  boot_id_ = clock.boot_id;
  clock_ = clock;
  clock_.boot_id = boot_id_;
  clock_announced_ = false;
  announced_ = false;
}

void Recording::announce_clock() {
  if (clock_.kind == ClockKind::kUnknown && !events.empty()) {
    const EventAttr& attr = events[0].attr;
    clock_.kind = attr.has(AttrFlag::kUseClockId) ? clock_kind(static_cast<uint32_t>(attr.clock_id))
                                                  : ClockKind::kKernel;
  }
  clock_announced_ = clock_.kind != ClockKind::kUnknown;
  if (clock_announced_) {
    sink.on_clock(clock_);
  }
}

void Recording::announce_event(uint32_t number) {
  RecordedEvent& event = events[number];
  if (event.name.empty()) {
    event.name = event_name(event.attr, names);
  }
  std::string_view unit = event.name;
  if (event.attr.is_clock()) {
    unit = "nanoseconds";
  } else if (!weight_is_known(event.attr)) {
    unit = "samples";
  }
  bool by_frequency = event.attr.has(AttrFlag::kFrequency);
  uint64_t period_or_frequency = event.attr.period_or_frequency;
  sink.on_event_kind(
      {.number = number,
       .name = event.name,
       .unit = unit,
       .measure = event.attr.is_clock() ? EventMeasure::kCpuTime : EventMeasure::kCount,
       .period = by_frequency ? 0 : period_or_frequency,
       .frequency = by_frequency ? period_or_frequency : 0,
       .precise = static_cast<uint8_t>(event.attr.precise())});
  if (!event.attr.is_dummy()) {
    sink.on_fact(fmt::format("sampling of {}", event.name), sampling_text(event.attr));
  }
  event.announced = true;
}

void Recording::report_missing() {
  if (machine.empty() && architecture_of(events) == Architecture::kUnknown) {
    fact("missing: architecture", "copied stacks cannot be unwound");
  }
  if (!build_ids_are_known) {
    fact("missing: build ids", "files cannot be distinguished from other builds of the same name");
  }
}

void Recording::name_event(uint32_t event, std::string_view name) {
  if (name.empty() || events[event].name == name) {
    return;
  }
  events[event].name = name;
  if (std::exchange(events[event].announced, false)) {
    to_announce_.push_back(event);
  }
  announced_ = false;
}

}  // namespace wick::kernel_records

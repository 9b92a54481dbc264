// SPDX-License-Identifier: Apache-2.0
#include "formats/pprof/value_types.h"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "base/escape.h"

namespace wick::pprof {
namespace {

struct UnitFactor {
  std::string_view names;  // between blanks
  std::string_view unit;
  int64_t factor;
};
// The spellings that pprof itself understands.
constexpr std::array<UnitFactor, 8> kUnits = {{
    {" nanoseconds nanosecond ns ", "nanoseconds", 1},
    {" microseconds microsecond us ", "nanoseconds", 1'000},
    {" milliseconds millisecond ms ", "nanoseconds", 1'000'000},
    {" seconds second s ", "nanoseconds", 1'000'000'000},
    {" bytes byte b ", "bytes", 1},
    {" kilobytes kilobyte kb kib ", "bytes", 1 << 10},
    {" megabytes megabyte mb mib ", "bytes", 1 << 20},
    {" gigabytes gigabyte gb gib ", "bytes", 1 << 30},
}};

bool has_word(std::string_view words, std::string_view word) {
  return !word.empty() && word.find(' ') == std::string_view::npos &&
         words.find(fmt::format(" {} ", word)) != std::string_view::npos;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

Quantity quantity_of(std::string_view name, std::string_view unit) {
  if (unit == "bytes") {
    return Quantity::kBytes;
  }
  if (unit != "nanoseconds") {
    return unit == kCountUnit || unit == "samples" ? Quantity::kCount : Quantity::kUnknown;
  }
  if (contains(name, "cpu") && !contains(name, "off")) {
    return Quantity::kCpuTime;
  }
  if (contains(name, "wall")) {
    return Quantity::kWallTime;
  }
  bool waits = contains(name, "delay") || contains(name, "off") || contains(name, "block") ||
               contains(name, "contention");
  return waits ? Quantity::kOffCpu : Quantity::kUnknown;
}

TypeEvent type_event(const Message& message, ValueType type, size_t column) {
  TypeEvent event{.column = column,
                  .name = std::string(message.text(type.type)),
                  .unit = std::string(message.text(type.unit))};
  for (const UnitFactor& row : kUnits) {
    if (has_word(row.names, event.unit)) {
      event.unit = row.unit;
      event.factor = row.factor;
      break;
    }
  }
  if (event.name == kSamplesType && event.unit == kCountUnit) {
    event.unit = "samples";
  }
  event.name = event.name.empty() ? fmt::format("value {}", column + 1) : event.name;
  event.unit = event.unit.empty() ? "units" : event.unit;
  event.kind = quantity_of(event.name, event.unit);
  return event;
}

bool counts_samples(const Message& message, ValueType type) {
  std::string_view name = message.text(type.type);
  return (name == kSamplesType || name == "sample") && message.text(type.unit) == kCountUnit;
}

// Events are the same if their names and units are.
void make_unique(std::vector<TypeEvent>& events) {
  TypeEvent& last = events.back();
  auto is_same = [&](const TypeEvent& event) {
    return event.name == last.name && event.unit == last.unit;
  };
  auto earlier = std::span(events).first(events.size() - 1);
  if (std::ranges::any_of(earlier, is_same)) {
    last.name += fmt::format(" (value {})", last.column + 1);
  }
}

// The period belongs to the event of its type, or else to all events with its unit (the heap
// profiles of Go have a period in bytes of "space", and no value type of that name).
void add_period(const Message& message, TypeEvents& types) {
  if (message.period <= 0) {
    return;
  }
  TypeEvent of = type_event(message, message.period_type, 0);
  auto period = static_cast<uint64_t>(message.period);
  constexpr uint64_t kMost = uint64_t{1} << 62U;
  period = period > kMost / static_cast<uint64_t>(of.factor)
               ? 0
               : period * static_cast<uint64_t>(of.factor);
  auto is_it = [&](const TypeEvent& event) {
    return event.name == of.name && event.unit == of.unit;
  };
  bool is_exact = std::ranges::any_of(types.events, is_it);
  bool is_used = false;
  for (TypeEvent& event : types.events) {
    if (is_exact ? is_it(event) : event.unit == of.unit) {
      event.period = period;
      is_used = true;
    }
  }
  if (!is_used) {
    types.unused_period =
        fmt::format("{} {} of {}", period, terminal_text(of.unit), terminal_text(of.name));
  }
}

}  // namespace

TypeEvents type_events(const Message& message) {
  TypeEvents types;
  std::string_view wanted = message.text(message.default_type);
  size_t size = message.value_types.size();
  for (size_t column = 0; column < size; ++column) {
    ValueType type = message.value_types[column];
    if (size > 1 && !types.samples_column && counts_samples(message, type)) {
      types.samples_column = column;
    } else {
      types.events.push_back(type_event(message, type, column));
      make_unique(types.events);
    }
  }
  auto is_default = [&](const TypeEvent& event) {
    return event.name == wanted || (event.unit == "samples" && wanted == kSamplesType);
  };
  auto chosen = std::ranges::find_if(types.events, is_default);
  if (chosen == types.events.end() && !types.events.empty()) {
    chosen = std::prev(types.events.end());
  }
  if (chosen != types.events.end()) {
    std::rotate(types.events.begin(), chosen, std::next(chosen));
  }
  add_period(message, types);
  return types;
}

Event event_of(const TypeEvent& type, ProfileBuilder& builder) {
  return {.name = builder.string(type.name),
          .unit = builder.string(type.unit),
          .kind = type.kind,
          .period = type.period};
}

}  // namespace wick::pprof

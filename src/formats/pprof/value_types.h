// SPDX-License-Identifier: Apache-2.0
// Value types as events: which value of a sample is the weight of which event, and which one is its
// number of samples.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/pprof/message.h"
#include "profile/builder.h"

namespace wick::pprof {

// The value type that counts samples.
inline constexpr std::string_view kSamplesType = "samples";
inline constexpr std::string_view kCountUnit = "count";
// pprof -diff_base marks the samples of the earlier profile with this label.
inline constexpr std::string_view kBaseLabel = "pprof::base";
inline constexpr std::string_view kBaseValue = "true";

// A value type as an event of a profile.
struct TypeEvent {
  size_t column = 0;  // in the values of a sample
  std::string name;
  std::string unit;
  int64_t factor = 1;  // of its values: milliseconds become nanoseconds
  uint64_t period = 0;
  Quantity kind = Quantity::kUnknown;
};

struct TypeEvents {
  std::vector<TypeEvent> events;         // the default one first
  std::optional<size_t> samples_column;  // the number of samples
  std::string unused_period;             // the period, if it is of none of the events
};
TypeEvents type_events(const Message& message);

// The rest of the events' row.
Event event_of(const TypeEvent& type, ProfileBuilder& builder);

}  // namespace wick::pprof

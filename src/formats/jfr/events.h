// SPDX-License-Identifier: Apache-2.0
// The types of events that become samples.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "profile/sample_tables.h"

namespace wick::jfr {

// How much a sample weighs.
enum class WeightKind : uint8_t {
  kPeriod,    // the time between two samples, which a setting has; 1 sample if there is none
  kDuration,  // the event's duration
  kTicks,     // `weight_field` in ticks
  kNumber,    // `weight_field` as it is
};

struct SampledType {
  std::string_view name;  // of the type and of the event
  WeightKind weight = WeightKind::kPeriod;
  std::string_view weight_field;
  std::string_view unit = "nanoseconds";
  Quantity quantity = Quantity::kUnknown;
  bool is_sample = false;  // chosen by chance; otherwise every occurrence above a limit is there
};

// In the order of the profile's events.
std::span<const SampledType> sampled_types();

}  // namespace wick::jfr

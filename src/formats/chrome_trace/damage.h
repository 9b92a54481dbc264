// SPDX-License-Identifier: Apache-2.0
// What is wrong in a trace, counted.
#pragma once

#include <cstdint>

#include "profile/builder.h"

namespace wick::chrome_trace {

struct Damage {
  uint64_t values = 0;    // of the wrong type
  uint64_t events = 0;    // without a phase or a time
  uint64_t ends = 0;      // without a begin
  uint64_t begins = 0;    // without an end
  uint64_t overlaps = 0;  // spans that outlast their caller
  uint64_t frames = 0;    // samples whose frame does not exist
  uint64_t cycles = 0;    // frames that are their own caller
  uint64_t weights = 0;   // samples with an unusable weight
  uint64_t kinds = 0;     // events that the profile has no row for
  uint64_t labels = 0;    // events whose arguments were left out

  // Ends without a begin are usual at the start of a trace; they lose time only where spans are the
  // weights.
  void report(ProfileBuilder& builder, bool has_samples) const;
};

}  // namespace wick::chrome_trace

// SPDX-License-Identifier: Apache-2.0
// The clocks that timestamps come from, named as in clock_gettime.
#pragma once

#include <cstdint>

namespace wick {

// The numbers are part of the .wick format.
enum class ClockKind : uint8_t {
  kUnknown,
  kMonotonic,
  kMonotonicRaw,
  kBoottime,
  kRealtime,
  kKernel,  // the scheduler's clock: perf's default, which programs cannot read
  kTsc,     // a processor's time stamp counter, converted to nanoseconds
  kTai,
};

}  // namespace wick

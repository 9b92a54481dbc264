// The clocks that give times, by the names of clock_gettime.
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
  kKernel,  // the scheduler's own, which perf uses by default and no program can read
  kTsc,     // a processor's time stamp counter, converted to nanoseconds
  kTai,
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// The durations of operations: counts in classes that are 1/16 wide relative to their value, so
// that any number of operations fits into a fixed size and every percentile is accurate to 6 %.
// Plain data: can be in memory that processes share, and can be added up.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace memory_mock {

struct Latencies {
  std::array<uint64_t, 16 * 61> classes{};
  uint64_t count = 0;
  uint64_t max_ns = 0;

  void add(uint64_t ns) {
    classes[class_of(ns)] += 1;
    count += 1;
    max_ns = std::max(max_ns, ns);
  }

  void add(const Latencies& other) {
    for (size_t at = 0; at < classes.size(); ++at) {
      classes[at] += other.classes[at];
    }
    count += other.count;
    max_ns = std::max(max_ns, other.max_ns);
  }

  // The upper end of the class in which this share of all operations is reached.
  uint64_t percentile_ns(double share) const {
    auto wanted = static_cast<uint64_t>(share * static_cast<double>(count));
    uint64_t seen = 0;
    for (size_t at = 0; at < classes.size(); ++at) {
      seen += classes[at];
      if (seen > wanted) {
        return std::min(max_ns, upper_end(at));
      }
    }
    return max_ns;
  }

 private:
  // Below 16 a class is one nanosecond; above, the highest bit selects 16 classes, and the next
  // four bits one of them.
  static size_t class_of(uint64_t ns) {
    if (ns < 16) {
      return static_cast<size_t>(ns);
    }
    auto shift = static_cast<size_t>(std::bit_width(ns)) - 5;
    return 16 * (shift + 1) + static_cast<size_t>((ns >> shift) & 15);
  }
  static uint64_t upper_end(size_t at) {
    if (at < 16) {
      return at;
    }
    size_t shift = at / 16 - 1;
    return ((uint64_t{16} + at % 16 + 1) << shift) - 1;
  }
};

}  // namespace memory_mock

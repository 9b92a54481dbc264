// SPDX-License-Identifier: Apache-2.0
// Windows of time over readings.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analyze/ipc/readings.h"

namespace wick {

// "10ms", "1.5s", "200us", "5ns", in nanoseconds.
std::optional<int64_t> parse_time_length(std::string_view text);

// What was counted from the start up to some moments, which ascend. Readings are spread evenly over
// their time; one without a length counts at its end.
class Accumulated {
 public:
  Accumulated(std::span<const Reading> readings, std::vector<int64_t> moments);

  double upper(size_t moment) const { return upper_[moment]; }
  double lower(size_t moment) const { return lower_[moment]; }

 private:
  std::vector<double> upper_;
  std::vector<double> lower_;
};

struct Window {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  double lower_before = 0;  // counted by the lower event up to its begin
  double lower = 0;
  double upper = 0;
  RatioSum readings;  // those that end in it
};

// Windows of `size`, each `step` after the one before, from `begin` on; the last one contains `end`
// or ends at it.
std::vector<Window> make_windows(
    std::span<const Reading> readings, int64_t begin, int64_t end, int64_t size, int64_t step);

}  // namespace wick

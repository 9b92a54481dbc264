// SPDX-License-Identifier: Apache-2.0
#include "experiment/paired_runs.h"

#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace wick {

Comparison compare_times(std::span<const Pair> pairs) {
  std::vector<double> before;
  std::vector<double> after;
  for (const Pair& pair : pairs) {
    if (pair.before > 0 && pair.after > 0) {
      before.push_back(pair.before);
      after.push_back(pair.after);
    }
  }
  if (before.empty()) {
    return {};
  }
  return {.change = change_of_pairs(before, after, false)};
}

std::string time_text(std::span<const Pair> pairs) {
  Comparison times = compare_times(pairs);
  const RunChange& change = times.change;
  if (std::isnan(change.high)) {
    return fmt::format(
        "Time of the run: {:.3f} s before, {:.3f} s after, {:+.1f} %; one pair of runs does not "
        "show how certain that is.",
        change.before,
        change.after,
        100 * change.value);
  }
  return fmt::format(
      "Time of a run: {:.3f} s before, {:.3f} s after; paired change {:+.1f} % ({:+.1f} to "
      "{:+.1f} %{}).",
      change.before,
      change.after,
      100 * change.value,
      100 * change.low,
      100 * change.high,
      times.is_within_noise() ? "; within noise" : "");
}

}  // namespace wick

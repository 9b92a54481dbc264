// SPDX-License-Identifier: Apache-2.0
#include "experiment/paired_runs.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "report/amounts.h"

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
  TimesText text(std::max(change.before, change.after));
  std::string both =
      fmt::format("{} before, {} after", text.of(change.before), text.of(change.after));
  if (std::isnan(change.high)) {
    return fmt::format(
        "Time of the run: {}, {:+.1f} %; one pair of runs does not show how certain that is.",
        both,
        100 * change.value);
  }
  return fmt::format("Time of a run: {}; paired change {:+.1f} % ({:+.1f} to {:+.1f} %{}).",
                     both,
                     100 * change.value,
                     100 * change.low,
                     100 * change.high,
                     times.is_within_noise() ? "; within noise" : "");
}

}  // namespace wick

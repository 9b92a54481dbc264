#include "experiment/paired_runs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "base/distributions.h"
#include "base/statistics.h"

namespace wick {
Comparison compare_pairs(std::span<const Pair> pairs) {
  std::vector<double> before;
  std::vector<double> after;
  std::vector<double> logs;
  for (const Pair& pair : pairs) {
    if (pair.before > 0 && pair.after > 0) {
      before.push_back(pair.before);
      after.push_back(pair.after);
      logs.push_back(std::log(pair.after / pair.before));
    }
  }
  Comparison result{.low = 0, .high = std::numeric_limits<double>::infinity()};
  if (logs.empty()) {
    return result;
  }
  auto count = static_cast<double>(logs.size());
  double middle = mean(logs);
  double squares = 0;
  for (double value : logs) {
    squares += (value - middle) * (value - middle);
  }
  result.before = median(std::move(before));
  result.after = median(std::move(after));
  result.ratio = std::exp(middle);
  if (logs.size() > 1) {
    double error = std::sqrt(squares / (count - 1) / count) * student_deviate(kLevel, count - 1);
    result.low = std::exp(middle - error);
    result.high = std::exp(middle + error);
  }
  return result;
}

std::string time_text(std::span<const Pair> pairs) {
  Comparison times = compare_pairs(pairs);
  double percent = 100 * (times.ratio - 1);
  if (!std::isfinite(times.high)) {
    return fmt::format(
        "Time of the run: {:.3f} s before, {:.3f} s after, {:+.1f} %; one pair of runs does not "
        "show how certain that is.",
        times.before,
        times.after,
        percent);
  }
  return fmt::format(
      "Time of a run: median {:.3f} s before, {:.3f} s after; mean paired change {:+.1f} % "
      "({:+.1f} to {:+.1f} %{}).",
      times.before,
      times.after,
      percent,
      100 * (times.low - 1),
      100 * (times.high - 1),
      times.is_within_noise() ? "; within noise" : "");
}

}  // namespace wick

#include "experiment/paired_runs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace wick {
namespace {

// Student's t for 95 %, two-sided, by degrees of freedom.
double student_95(size_t degrees) {
  constexpr std::array kTable = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                 2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                 2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                                 2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
  return degrees <= kTable.size() ? kTable[degrees - 1] : 1.96 + 2.4 / static_cast<double>(degrees);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

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
  double mean = 0;
  for (double value : logs) {
    mean += value / count;
  }
  double squares = 0;
  for (double value : logs) {
    squares += (value - mean) * (value - mean);
  }
  result.before = median(std::move(before));
  result.after = median(std::move(after));
  result.ratio = std::exp(mean);
  if (logs.size() > 1) {
    double error = std::sqrt(squares / (count - 1) / count) * student_95(logs.size() - 1);
    result.low = std::exp(mean - error);
    result.high = std::exp(mean + error);
  }
  return result;
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "experiment/run_change.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "base/check.h"

namespace wick {
namespace {

// The numbers of both sides, on the scale of the comparison.
struct Sides {
  std::vector<double> before;
  std::vector<double> after;
  double noise_before = 0;  // variance of one number by chance alone
  double noise_after = 0;
};

using Compare = std::function<Difference(const Sides& sides)>;

double least_variance(std::span<const double> values, bool counts) {
  return counts ? std::min(1.0, mean(values)) : 0;
}

std::vector<double> logarithms(std::span<const double> values) {
  std::vector<double> logs;
  std::ranges::transform(values, std::back_inserter(logs), [](double v) { return std::log(v); });
  return logs;
}

RunChange change_of_logarithms(std::span<const double> before,
                               std::span<const double> after,
                               bool counts,
                               const Compare& compare) {
  auto noise = [&](std::span<const double> values) {
    return least_variance(values, counts) / (mean(values) * mean(values));
  };
  Difference difference =
      compare({logarithms(before), logarithms(after), noise(before), noise(after)});
  return {std::expm1(difference.change),
          std::expm1(difference.low),
          std::expm1(difference.high),
          difference.probability};
}

RunChange change_of_numbers(std::span<const double> before,
                            std::span<const double> after,
                            bool counts,
                            const Compare& compare) {
  Difference difference = compare({{before.begin(), before.end()},
                                   {after.begin(), after.end()},
                                   least_variance(before, counts),
                                   least_variance(after, counts)});
  double whole = std::abs(mean(before));
  if (whole == 0) {
    whole = kNoNumber;
  }
  // A number that cannot be negative can decrease by at most 100 %.
  auto below_zero = [](double number) { return number < 0; };
  bool signless =
      std::ranges::none_of(before, below_zero) && std::ranges::none_of(after, below_zero);
  double low = difference.low / whole;
  return {difference.change == 0 ? 0 : difference.change / whole,
          signless && low < -1 ? -1 : low,
          difference.high / whole,
          difference.probability};
}

RunChange change_of(std::span<const double> before,
                    std::span<const double> after,
                    bool counts,
                    const Compare& compare) {
  auto above_zero = [](double value) { return value > 0; };
  bool by_ratio = std::ranges::all_of(before, above_zero) && std::ranges::all_of(after, above_zero);
  return by_ratio ? change_of_logarithms(before, after, counts, compare)
                  : change_of_numbers(before, after, counts, compare);
}

Difference compare_in_pairs(const Sides& sides) {
  std::vector<double> differences;
  std::ranges::transform(
      sides.after, sides.before, std::back_inserter(differences), std::minus<double>());
  return compare_pairs(differences, sides.noise_before + sides.noise_after);
}

Difference compare_apart(const Sides& sides) {
  if (sides.before.size() < 2 && sides.after.size() < 2) {
    return {.change = sides.after[0] - sides.before[0], .low = kNoNumber, .high = kNoNumber};
  }
  return compare_runs({sides.before, sides.noise_before}, {sides.after, sides.noise_after});
}

}  // namespace

RunChange change_of_pairs(std::span<const double> before,
                          std::span<const double> after,
                          bool counts) {
  CHECK(before.size() == after.size());
  return change_of(before, after, counts, compare_in_pairs);
}

RunChange change_of_runs(std::span<const double> before,
                         std::span<const double> after,
                         bool counts) {
  return change_of(before, after, counts, compare_apart);
}

}  // namespace wick

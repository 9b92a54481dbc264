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

// A difference, and the means of the numbers that it is from.
struct ComparedMeans {
  Difference difference;
  double before = 0;
  double after = 0;
};

using Compare = std::function<ComparedMeans(const Sides& sides)>;

// Exact if all values are equal.
double exact(double of_values, std::span<const double> values) {
  auto [least, most] = std::ranges::minmax(values);
  return least == most ? least : of_values;
}

bool are_all(std::span<const double> values, double value) {
  return std::ranges::all_of(values, [&](double one) { return one == value; });
}

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
  ComparedMeans compared =
      compare({logarithms(before), logarithms(after), noise(before), noise(after)});
  const Difference& difference = compared.difference;
  // Equal runs have exactly their number: exp(log(x)) is not always x.
  return {.before = are_all(before, before[0]) ? before[0] : std::exp(compared.before),
          .after = are_all(after, after[0]) ? after[0] : std::exp(compared.after),
          .value = std::expm1(difference.change),
          .low = std::expm1(difference.low),
          .high = std::expm1(difference.high),
          .probability = difference.probability};
}

RunChange change_of_numbers(std::span<const double> before,
                            std::span<const double> after,
                            bool counts,
                            const Compare& compare) {
  ComparedMeans compared = compare({{before.begin(), before.end()},
                                    {after.begin(), after.end()},
                                    least_variance(before, counts),
                                    least_variance(after, counts)});
  const Difference& difference = compared.difference;
  double whole = std::abs(compared.before);
  if (whole == 0) {
    whole = kNoNumber;
  }
  // A number that cannot be negative can decrease by at most 100 %.
  auto below_zero = [](double number) { return number < 0; };
  bool signless =
      std::ranges::none_of(before, below_zero) && std::ranges::none_of(after, below_zero);
  double low = difference.low / whole;
  return {.before = compared.before,
          .after = compared.after,
          .value = difference.change == 0 ? 0 : difference.change / whole,
          .low = signless && low < -1 ? -1 : low,
          .high = difference.high / whole,
          .probability = difference.probability};
}

RunChange change_of(std::span<const double> before,
                    std::span<const double> after,
                    bool counts,
                    const Compare& compare) {
  auto above_zero = [](double value) { return value > 0; };
  bool by_ratio = std::ranges::all_of(before, above_zero) && std::ranges::all_of(after, above_zero);
  RunChange change = by_ratio ? change_of_logarithms(before, after, counts, compare)
                              : change_of_numbers(before, after, counts, compare);
  if (counts && change.value == 0) {
    change.low = change.high = kNoNumber;
  }
  return change;
}

ComparedMeans compare_in_pairs(const Sides& sides) {
  std::vector<double> differences;
  std::ranges::transform(
      sides.after, sides.before, std::back_inserter(differences), std::minus<double>());
  std::vector<double> before;
  std::vector<double> after;
  for (size_t pair : pairs_that_count(differences)) {
    before.push_back(sides.before[pair]);
    after.push_back(sides.after[pair]);
  }
  return {.difference = compare_pairs(differences, sides.noise_before + sides.noise_after),
          .before = exact(mean(before), before),
          .after = exact(mean(after), after)};
}

ComparedMeans compare_apart(const Sides& sides) {
  ComparedMeans compared{.before = exact(trimmed_mean(sides.before), sides.before),
                         .after = exact(trimmed_mean(sides.after), sides.after)};
  if (sides.before.size() < 2 && sides.after.size() < 2) {
    compared.difference = {
        .change = sides.after[0] - sides.before[0], .low = kNoNumber, .high = kNoNumber};
  } else {
    compared.difference =
        compare_runs({sides.before, sides.noise_before}, {sides.after, sides.noise_after});
  }
  return compared;
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

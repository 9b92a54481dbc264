#include "experiment/run_change.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace wick {
namespace {

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
                               bool counts) {
  auto noise = [&](std::span<const double> values) {
    return least_variance(values, counts) / (mean(values) * mean(values));
  };
  std::vector<double> first = logarithms(before);
  std::vector<double> second = logarithms(after);
  if (first.size() < 2 && second.size() < 2) {
    return {.value = std::expm1(second[0] - first[0])};
  }
  Difference difference = compare_runs({first, noise(before)}, {second, noise(after)});
  return {std::expm1(difference.change),
          std::expm1(difference.low),
          std::expm1(difference.high),
          difference.probability};
}

RunChange change_of_numbers(std::span<const double> before,
                            std::span<const double> after,
                            bool counts) {
  double whole = std::abs(mean(before));
  if (whole == 0) {
    whole = kNoNumber;
  }
  double change = mean(after) - mean(before);
  double value = change == 0 ? 0 : change / whole;
  if (before.size() < 2 && after.size() < 2) {
    return {.value = value};
  }
  Difference difference = compare_runs({before, least_variance(before, counts)},
                                       {after, least_variance(after, counts)});
  // What is never below zero loses all of itself at most.
  auto below_zero = [](double number) { return number < 0; };
  bool signless =
      std::ranges::none_of(before, below_zero) && std::ranges::none_of(after, below_zero);
  double low = difference.low / whole;
  return {
      value, signless ? std::max(low, -1.0) : low, difference.high / whole, difference.probability};
}

}  // namespace

RunChange change_of_runs(std::span<const double> before,
                         std::span<const double> after,
                         bool counts) {
  auto above_zero = [](double value) { return value > 0; };
  bool by_ratio = std::ranges::all_of(before, above_zero) && std::ranges::all_of(after, above_zero);
  return by_ratio ? change_of_logarithms(before, after, counts)
                  : change_of_numbers(before, after, counts);
}

}  // namespace wick

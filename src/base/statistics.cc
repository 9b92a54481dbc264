// SPDX-License-Identifier: Apache-2.0
// How the intervals, comparisons and plans are computed. In the order of the file:
//
//     one run a side   Wilson's score interval for a share, the Poisson score interval for a count.
//                      The interval of a difference is built from both (square-and-add). Its
//                      probability is a score test; where fewer than ten samples are expected on a
//                      side, an exact binomial test
//     several runs     Student's t with Satterthwaite's degrees of freedom; the median's interval
//                      from order statistics
//     clustering       the squared steps between consecutive blocks, against the steps of
//                      independent samples
//     plans            the change that an error can detect, solved for the amount of data
//
// Two invariants: a spread is never smaller than sampling alone makes it, and no division sees an
// empty side. Functions check for zero counts before they divide, or document that they need a
// value. docs/statistics.md explains and justifies each method.
#include "base/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/distributions.h"

namespace wick {
namespace {

// ---- One run a side ----------------------------------------------------------------------------

Interval wilson(double share, double samples, double z) {
  double z2 = z * z;
  double centre = (share + z2 / (2 * samples)) / (1 + z2 / samples);
  double variance = share * (1 - share) / samples + z2 / (4 * samples * samples);
  double half = z * std::sqrt(std::max(0.0, variance)) / (1 + z2 / samples);
  // The formula gives 0 and 1 at the ends, except for rounding.
  return {share <= 0 ? 0.0 : std::max(0.0, centre - half),
          share >= 1 ? 1.0 : std::min(1.0, centre + half)};
}

// The score interval of a Poisson count.
Interval poisson(double count, double z) {
  double centre = count + z * z / 2;
  double half = z * std::sqrt(count + z * z / 4);
  return {std::max(0.0, centre - half), centre + half};
}

Interval value_interval(const Sampled& side, double z) {
  if (side.samples > 0) {
    Interval share = wilson(side.count / side.samples, side.samples, z);
    double whole = side.samples * side.unit;
    return {share.low * whole, share.high * whole};
  }
  Interval count = poisson(side.count, z);
  return {count.low * side.unit, count.high * side.unit};
}

// Callers ask for the same number repeatedly, so the last answer is cached.
double student_95(double degrees) {
  thread_local double last_degrees = 0;
  thread_local double last = 0;
  if (degrees != last_degrees) {
    last = student_deviate(kLevel, degrees);
    last_degrees = degrees;
  }
  return last;
}

// The share of the samples outside of the row: 1 - share if both sides are shares, 1 for counts.
double rest_of(const Sampled& before, const Sampled& after) {
  bool shares = before.samples > 0 && after.samples > 0;
  if (!shares) {
    return 1;
  }
  return std::max(0.0, 1 - (before.count + after.count) / (before.samples + after.samples));
}

// If both sides together have k samples, the number on one side is binomial (Przyborowski and
// Wilenski 1940). The probability is twice the smaller tail; the incomplete beta function extends
// it to fractional counts.
double exact_probability(const Sampled& before, const Sampled& after) {
  double of_before = after.unit / (before.unit + after.unit);  // its share if nothing changed
  bool fewer_before = before.count / (before.count + after.count) < of_before;
  double tail = fewer_before ? incomplete_beta(after.count, before.count + 1, 1 - of_before)
                             : incomplete_beta(before.count, after.count + 1, of_before);
  return std::min(1.0, 2 * tail);
}

// If the row has nearly all samples, the comparison uses the rest instead, which is rarer.
Sampled rarer_part(const Sampled& side, bool of_rest) {
  Sampled part = side;
  part.count = of_rest ? side.samples - side.count : side.count;
  return part;
}

// ---- Several runs a side -----------------------------------------------------------------------

// NaN for a single run.
double variance(std::span<const double> values) {
  double centre = mean(values);
  double squares = 0;
  for (double value : values) {
    squares += (value - centre) * (value - centre);
  }
  return squares / static_cast<double>(values.size() - 1);
}

struct Spread {
  double of_mean = 0;  // variance of the side's mean
  double degrees = 0;
};

Spread spread_of(const Runs& side, const Runs& other) {
  const Runs& known = side.values.size() > 1 ? side : other;
  double of_run = std::max(variance(known.values), side.noise);
  return {of_run / static_cast<double>(side.values.size()),
          static_cast<double>(known.values.size() - 1)};
}

constexpr size_t kTrimmed = 5;  // pairs: one in five is left out at each end

// Squared distances from the mean, where the `ends` values at either end are moved to their next
// neighbours.
double winsorized_squares(std::vector<double> sorted, size_t ends) {
  std::fill_n(sorted.begin(), ends, sorted[ends]);
  std::fill_n(sorted.rbegin(), ends, sorted[sorted.size() - 1 - ends]);
  double centre = mean(sorted);
  double squares = 0;
  for (double value : sorted) {
    squares += (value - centre) * (value - centre);
  }
  return squares;
}

}  // namespace

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

RunSummary summarise_runs(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  size_t runs = sorted.size();
  RunSummary summary{.runs = runs,
                     .median = median(sorted),
                     .least = sorted.front(),
                     .most = sorted.back(),
                     .deviation = kNoNumber,
                     .low = kNoNumber,
                     .high = kNoNumber};
  if (runs < 2) {
    return summary;
  }
  auto count = static_cast<double>(runs);
  summary.deviation = std::sqrt(variance(values));
  // The true median is below the k-th smallest or above the k-th largest value with twice the
  // probability that fewer than k of n fair coins show heads.
  size_t rank = 0;
  auto outside = [&](size_t k) {
    return 2 * incomplete_beta(count - static_cast<double>(k) + 1, static_cast<double>(k), 0.5);
  };
  while (rank < runs / 2 && outside(rank + 1) <= kLevel) {
    ++rank;
  }
  if (rank > 0) {
    summary.low = sorted[rank - 1];
    summary.high = sorted[runs - rank];
    return summary;
  }
  double centre = mean(values);
  double half = student_95(count - 1) * summary.deviation / std::sqrt(count);
  summary.low = std::min(centre - half, summary.median);
  if (summary.least >= 0) {  // the interval of a value that is never negative must not be
    summary.low = std::max(summary.low, 0.0);
  }
  summary.high = std::max(centre + half, summary.median);
  return summary;
}

Interval share_interval(double share, double samples) {
  return samples <= 0 ? Interval() : wilson(share, samples, kNormal95);
}

Interval count_interval(double count) {
  return poisson(count, kNormal95);
}

Difference compare_sampled(const Sampled& before, const Sampled& after) {
  Difference result{.change = after.value() - before.value()};
  double degrees = std::min(before.degrees, after.degrees);
  result.degrees = degrees;
  double z = student_95(degrees);
  Interval low_side = value_interval(before, z);
  Interval high_side = value_interval(after, z);
  // Square-and-add (Newcombe 1998; Zou and Donner 2008): each end of the difference's interval
  // comes from one end of each side's interval.
  result.low =
      result.change - std::hypot(after.value() - high_side.low, low_side.high - before.value());
  result.high =
      result.change + std::hypot(high_side.high - after.value(), before.value() - low_side.low);
  double together = before.count + after.count;
  if (together <= 0) {
    return result;
  }
  // Score test: the spread of both sides, pooled.
  double per_unit = together / (1 / before.unit + 1 / after.unit);
  result.error = std::sqrt(per_unit * rest_of(before, after) * (before.unit + after.unit));
  // Cochran's rule: the normal approximation is good if ten or more are expected on each side.
  bool of_rest = rest_of(before, after) < 0.5;
  Sampled first = rarer_part(before, of_rest);
  Sampled second = rarer_part(after, of_rest);
  double rare = first.count + second.count;
  double least = rare * std::min(first.unit, second.unit) / (first.unit + second.unit);
  if (rare <= 0) {
    return result;
  }
  if (least < 10) {
    result.probability = exact_probability(first, second);
  } else {
    result.probability = student_two_sided(result.change / result.error, degrees);
  }
  return result;
}

Difference compare_runs(const Runs& before, const Runs& after) {
  Spread first = spread_of(before, after);
  Spread second = spread_of(after, before);
  Difference result{.change = mean(after.values) - mean(before.values)};
  double variance_of_change = first.of_mean + second.of_mean;
  result.error = std::sqrt(variance_of_change);
  // Satterthwaite's degrees of freedom. A side that borrows its spread borrows the degrees, too.
  double degrees = variance_of_change * variance_of_change /
                   (first.of_mean * first.of_mean / first.degrees +
                    second.of_mean * second.of_mean / second.degrees);
  if (before.values.size() == 1 || after.values.size() == 1) {
    degrees = std::min(first.degrees, second.degrees);
  }
  if (!(result.error > 0)) {  // all runs are equal to the last digit
    result.low = result.high = result.change;
    result.probability = result.change == 0 ? 1 : 0;
    return result;
  }
  result.degrees = degrees;
  double half = student_95(degrees) * result.error;
  result.low = result.change - half;
  result.high = result.change + half;
  result.probability = student_two_sided(result.change / result.error, degrees);
  return result;
}

std::vector<size_t> pairs_that_count(std::span<const double> differences) {
  std::vector<size_t> order(differences.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](size_t i) { return differences[i]; });
  auto trimmed = static_cast<std::ptrdiff_t>(differences.size() / kTrimmed);
  std::vector<size_t> rest(order.begin() + trimmed, order.end() - trimmed);
  std::ranges::sort(rest);
  return rest;
}

std::vector<bool> far_from_others(std::span<const double> values) {
  constexpr double kLeastRatio = 1.25;
  constexpr double kDeviations = 8;
  constexpr double kOfMedianDistance = 1.4826;  // the standard deviation of normal values
  std::vector<bool> far(values.size(), false);
  if (values.size() < 3 || std::ranges::any_of(values, [](double value) { return !(value > 0); })) {
    return far;
  }
  double middle = median({values.begin(), values.end()});
  std::vector<double> distances;
  for (double value : values) {
    distances.push_back(std::abs(std::log(value / middle)));
  }
  double usual = kOfMedianDistance * median(distances);
  for (size_t i = 0; i < values.size(); ++i) {
    far[i] = distances[i] > std::log(kLeastRatio) && distances[i] > kDeviations * usual;
  }
  return far;
}

Difference compare_pairs(std::span<const double> differences, double noise) {
  std::vector<double> sorted(differences.begin(), differences.end());
  std::ranges::sort(sorted);
  size_t trimmed = sorted.size() / kTrimmed;
  std::span<const double> rest = std::span(sorted).subspan(trimmed, sorted.size() - 2 * trimmed);
  Difference result{.change = mean(rest)};
  if (sorted.size() < 2) {
    result.low = result.high = kNoNumber;
    return result;
  }
  auto left = static_cast<double>(rest.size());
  auto all = static_cast<double>(sorted.size());
  result.degrees = left - 1;
  result.error =
      std::sqrt(winsorized_squares(sorted, trimmed) / (left * (left - 1))) * (1 + 1 / all);
  if (trimmed == 0 || !(result.error > 0)) {  // Student's; also where only the trimmed ones differ
    result.error = std::sqrt(variance(sorted) / all);
    result.degrees = trimmed == 0 ? all - 1 : result.degrees;
  }
  result.error = std::max(result.error, std::sqrt(noise / all));
  if (!(result.error > 0)) {  // all pairs alike to the last digit
    result.low = result.high = result.change;
    result.probability = result.change == 0 ? 1 : 0;
    return result;
  }
  double half = student_95(result.degrees) * result.error;
  result.low = result.change - half;
  result.high = result.change + half;
  result.probability = student_two_sided(result.change / result.error, result.degrees);
  return result;
}

std::vector<double> holm(std::span<const double> probabilities) {
  std::vector<size_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](size_t i) { return probabilities[i]; });
  std::vector<double> corrected(probabilities.size());
  double highest = 0;
  for (size_t rank = 0; rank < order.size(); ++rank) {
    auto left = static_cast<double>(order.size() - rank);
    highest = std::max(highest, std::min(1.0, left * probabilities[order[rank]]));
    corrected[order[rank]] = highest;
  }
  return corrected;
}

// ---- Clustering --------------------------------------------------------------------------------

void Clustering::add_step(double step, double all_step) {
  squares_ += step * step;
  products_ += step * all_step;
}

// Adds the step from the block before into the open block.
void Clustering::close(std::span<const double> all) {
  if (block_ > 0) {
    add_step(count_ - previous_, all[block_] - all[block_ - 1]);
  }
}

void Clustering::add(uint32_t block, double count, std::span<const double> all) {
  total_ += count;
  if (block == block_) {
    count_ += count;
    return;
  }
  if (block_ != kNoBlock) {
    close(all);
  }
  bool follows = block_ != kNoBlock && block == block_ + 1;
  if (block_ != kNoBlock && !follows) {
    add_step(-count_, all[block_ + 1] - all[block_]);
  }
  previous_ = follows ? count_ : 0;
  count_ = count;
  block_ = block;
}

void Clustering::finish(std::span<const double> all) {
  if (block_ == kNoBlock) {
    return;
  }
  close(all);
  if (block_ + 1 < all.size()) {
    add_step(-count_, all[block_ + 1] - all[block_]);
  }
  block_ = kNoBlock;
}

double Clustering::share_effect(double share, std::span<const double> all) const {
  double expected = share * (1 - share) * std::accumulate(all.begin(), all.end(), 0.0);
  double all_squares = 0;
  for (size_t i = 1; i < all.size(); ++i) {
    all_squares += (all[i] - all[i - 1]) * (all[i] - all[i - 1]);
  }
  double steps = squares_ - 2 * share * products_ + share * share * all_squares;
  if (all.size() < 2 || expected <= 0) {
    return 1;
  }
  auto blocks = static_cast<double>(all.size());
  return std::max(1.0, steps / (2 * (blocks - 1)) / (expected / blocks));
}

double Clustering::count_effect(std::span<const double> all) const {
  if (all.size() < 2 || total_ <= 0) {
    return 1;
  }
  auto blocks = static_cast<double>(all.size());
  return std::max(1.0, squares_ / (2 * (blocks - 1)) / (total_ / blocks));
}

// ---- Plans -------------------------------------------------------------------------------------

double detectable_change(const Difference& measured, const PlanFor& plan) {
  double level = student_deviate(plan.level / std::max(1.0, plan.comparisons), measured.degrees);
  double power = student_deviate(2 * (1 - plan.power), measured.degrees);
  return measured.error * (level + power);
}

double times_as_much(const Difference& measured,
                     double change,
                     const PlanFor& plan,
                     double growth) {
  if (change == 0) {
    return std::numeric_limits<double>::infinity();
  }
  // The amount needed falls as the degrees grow, so the equation has one solution.
  auto needed = [&](double times) {
    Difference larger = measured;
    larger.degrees = std::max(1.0, measured.degrees * std::pow(times, growth));
    double ratio = detectable_change(larger, plan) / std::abs(change);
    return ratio * ratio;
  };
  double low = needed(1e18);
  double high = std::max(low, needed(low));
  constexpr int kHalvings = 40;
  for (int i = 0; i < kHalvings && high > low * (1 + 1e-6); ++i) {
    double middle = std::sqrt(low * high);
    (needed(middle) > middle ? low : high) = middle;
  }
  return high;
}

}  // namespace wick

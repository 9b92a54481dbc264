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
#include <array>
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

// A mean without the smallest and the largest fifth, and how certain it is.
struct TrimmedMean {
  double mean = 0;
  double error = 0;    // standard error; not a number for one value
  double degrees = 0;  // of that error
};

constexpr size_t kTrimmed = 5;  // values: one in five is left out at each end

// How many values are left out at each end.
size_t trimmed_at_an_end(size_t values) {
  return values / kTrimmed;
}

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

// Yuen's standard error; Student's if nothing is left out, or if only what is left out differs.
TrimmedMean trimmed_mean_of(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  size_t ends = trimmed_at_an_end(sorted.size());
  std::span<const double> rest = std::span(sorted).subspan(ends, sorted.size() - 2 * ends);
  auto left = static_cast<double>(rest.size());
  auto all = static_cast<double>(sorted.size());
  TrimmedMean result{.mean = mean(rest), .degrees = left - 1};
  if (ends > 0) {
    result.error = std::sqrt(winsorized_squares(sorted, ends) / (left * (left - 1)));
  }
  if (!(result.error > 0)) {
    result.error = std::sqrt(variance(sorted) / all);
  }
  return result;
}

// By itself the error of a trimmed mean is a little too small: of five values, it gives 6.2 %
// instead of 5 % of false evidence. The errors of two sides, with their degrees together, are
// right.
double corrected_alone(double error, size_t values) {
  return trimmed_at_an_end(values) > 0 ? error * (1 + 1 / static_cast<double>(values)) : error;
}

struct Spread {
  double of_mean = 0;  // variance of the side's mean
  double degrees = 0;
};

// A side of one run borrows the other side's spread.
Spread spread_of(const Runs& side, const Runs& other) {
  const Runs& known = side.values.size() > 1 ? side : other;
  bool one_side_alone = side.values.size() == 1 || other.values.size() == 1;
  TrimmedMean mean = trimmed_mean_of(known.values);
  double error = one_side_alone ? corrected_alone(mean.error, known.values.size()) : mean.error;
  double of_run = error * error * static_cast<double>(known.values.size());
  return {.of_mean = std::max(of_run, side.noise) / static_cast<double>(side.values.size()),
          .degrees = mean.degrees};
}

// Satterthwaite's degrees of freedom of the sum of two variances.
double degrees_of_sum(double first, double first_degrees, double second, double second_degrees) {
  return (first + second) * (first + second) /
         (first * first / first_degrees + second * second / second_degrees);
}

// The expected standard error of a trimmed mean of normal numbers, as a multiple of that of the
// mean; simulated: 1.05 to 1.07.
double cost_of_trimming(size_t values) {
  return values < kTrimmed ? 1 : 1.07;
}

// The interval and the probability from the error and its degrees.
Difference judged_by_student(Difference difference) {
  if (!(difference.error > 0)) {  // all numbers are equal to the last digit
    difference.low = difference.high = difference.change;
    difference.probability = difference.change == 0 ? 1 : 0;
    return difference;
  }
  double half = student_95(difference.degrees) * difference.error;
  difference.low = difference.change - half;
  difference.high = difference.change + half;
  difference.probability =
      student_two_sided(difference.change / difference.error, difference.degrees);
  return difference;
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

double trimmed_mean(std::span<const double> values) {
  return trimmed_mean_of(values).mean;
}

Difference compare_runs(const Runs& before, const Runs& after) {
  Spread first = spread_of(before, after);
  Spread second = spread_of(after, before);
  Difference result{.change = trimmed_mean(after.values) - trimmed_mean(before.values)};
  double variance_of_change = first.of_mean + second.of_mean;
  result.error = std::sqrt(variance_of_change);
  if (result.error > 0) {
    // At most those of equal spreads: if the shorter side seems to vary little, that is luck more
    // often than not. A side that borrows its spread borrows the degrees, too.
    result.degrees =
        std::min(degrees_of_sum(first.of_mean, first.degrees, second.of_mean, second.degrees),
                 degrees_of_sum(1 / static_cast<double>(before.values.size()),
                                first.degrees,
                                1 / static_cast<double>(after.values.size()),
                                second.degrees));
    if (before.values.size() == 1 || after.values.size() == 1) {
      result.degrees = std::min(first.degrees, second.degrees);
    }
  }
  return judged_by_student(result);
}

std::vector<size_t> pairs_that_count(std::span<const double> differences) {
  std::vector<size_t> order(differences.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](size_t i) { return differences[i]; });
  auto trimmed = static_cast<std::ptrdiff_t>(trimmed_at_an_end(differences.size()));
  std::vector<size_t> rest(order.begin() + trimmed, order.end() - trimmed);
  std::ranges::sort(rest);
  return rest;
}

std::vector<bool> far_from_others(std::span<const double> values) {
  struct Far {
    double ratio;
    double deviations;
  };
  constexpr std::array kFar = {Far{1.25, 8}, Far{2, 5}};
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
    far[i] = std::ranges::any_of(kFar, [&](const Far& least) {
      return distances[i] > std::log(least.ratio) && distances[i] > least.deviations * usual;
    });
  }
  return far;
}

Difference compare_pairs(std::span<const double> differences, double noise) {
  TrimmedMean mean = trimmed_mean_of(differences);
  if (differences.size() < 2) {
    return {.change = mean.mean, .low = kNoNumber, .high = kNoNumber};
  }
  double least = std::sqrt(noise / static_cast<double>(differences.size()));
  double error = corrected_alone(mean.error, differences.size());
  return judged_by_student(
      {.change = mean.mean, .error = std::max(error, least), .degrees = mean.degrees});
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

double times_as_long(const Difference& measured, double change, const PlanFor& plan) {
  if (change == 0) {
    return std::numeric_limits<double>::infinity();
  }
  // The amount needed falls as the degrees grow, so the equation has one solution.
  auto needed = [&](double times) {
    Difference larger = measured;
    larger.degrees = std::max(1.0, measured.degrees * std::sqrt(times));
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

double runs_needed(const Difference& measured, size_t runs, double change, const PlanFor& plan) {
  // The error of one run on each side.
  double of_one = measured.error * std::sqrt(static_cast<double>(runs)) / cost_of_trimming(runs);
  auto with_runs = [&](size_t count) {
    size_t left = count - 2 * trimmed_at_an_end(count);
    return Difference{
        .error = of_one * cost_of_trimming(count) / std::sqrt(static_cast<double>(count)),
        .degrees = 2 * (static_cast<double>(left) - 1)};
  };
  constexpr size_t kMany = 200;  // from here on, degrees and the cost of trimming hardly change
  for (size_t count = 2; count < kMany; ++count) {
    if (detectable_change(with_runs(count), plan) <= std::abs(change)) {
      return static_cast<double>(count);
    }
  }
  double ratio = detectable_change(with_runs(kMany), plan) / std::abs(change);
  return std::ceil(static_cast<double>(kMany) * std::max(1.0, ratio * ratio));
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Fits a law, states how certain its parameters are, and chooses the verdict.
//
//   better_law     least squares for both laws; takes the likelier one (scaling_laws.h)
//   spread_about   how far points are from the curve, compared with the spread of repeated runs at
//                  one N (lack-of-fit F test). If the curve does not fit, the few points define the
//                  variance, not the many runs.
//   Region         all parameters whose sum of squares is within a limit of the best one (a profile
//                  likelihood). Intervals are the extremes over this region, also of derived
//                  numbers such as the knee, which have no simple formula.
//   Judge          which terms the runs need: fits again without a term and tests the difference
//
// A wrong verdict is worse than none: the levels below are stricter than the level of the interval.
// Everything is deterministic, so that the same runs give the same text.
#include "analyze/scaling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "analyze/scaling_laws.h"
#include "analyze/scaling_words.h"
#include "base/distributions.h"
#include "base/statistics.h"

namespace wick {
namespace {

using namespace scaling;  // NOLINT(google-build-using-namespace): the fits of this folder
using Spread = ScalingSpread;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// A wrong name is worse than none: one term is distinguished from the other at a fifth of the
// level.
constexpr double kNamingPart = 0.2;
// If one term alone fits this well, the other is not needed.
constexpr double kDistinguishable = 0.03;
// Without repeated runs, only a misfit that is obvious to the eye counts.
constexpr double kLargeMisfit = 0.2;

// ---- How sure ----------------------------------------------------------------------------------

// The probability of a ratio of mean squares this large, if both have the same cause.
double f_probability(double ratio, double above, double below) {
  return incomplete_beta(below / 2, above / 2, below / (below + above * ratio));
}

Spread spread_about(const RunsByN& series, double squares) {
  auto points = static_cast<double>(series.n.size());
  double of_shape = points - kParameters;
  double of_repeats = series.all_runs - points;
  Spread result{.degrees = of_shape + of_repeats};
  result.variance = (squares + series.within) / result.degrees;
  if (of_repeats > 0) {
    result.of_runs = std::sqrt(series.within / of_repeats);
  }
  if (of_shape > 0) {
    result.off_curve = std::sqrt(squares / series.all_runs * points / of_shape);
    bool is_off = result.off_curve > kLargeMisfit;
    if (of_repeats > 0) {
      double ratio = (squares / of_shape) / std::max(series.within / of_repeats, 1e-12);
      is_off = f_probability(ratio, of_shape, of_repeats) < 0.01;
    }
    result.fits = !is_off || result.off_curve < kSmallMisfit;
    // Then the variation is that of the points about the curve, and there are only few points.
    if (is_off) {
      result.variance = std::max(result.variance, squares / of_shape);
      result.degrees = of_shape;
    }
  }
  // Clocks are not more accurate than this.
  result.variance = std::max(result.variance, 1e-12);
  return result;
}

void widen(Estimate& estimate, double value) {
  estimate.low = std::min(estimate.low, value);
  estimate.high = std::max(estimate.high, value);
}

Estimate exactly(double value) {
  return {value, value, value};
}

// Walks the region of parameters that the runs do not exclude, from the best point outwards. The
// directions are evenly distributed in coordinates in which the sum of squares is round.
class Region {
 public:
  Region(const RunsByN& series, const Best& best, const Spread& spread)
      : series_(series), law_(best.law), best_(best.at), here_(best.misfit) {
    double t = student_deviate(kLevel, spread.degrees);
    slack_ = spread.variance * t * t;
    limit_ = here_.squares + slack_;
    // Cholesky factors of the normal matrix. With three different Ns it is singular only by
    // rounding.
    root00_ = std::sqrt(std::max(here_.curve[0][0], 1e-300));
    root10_ = here_.curve[0][1] / root00_;
    double rest = here_.curve[1][1] - root10_ * root10_;
    root11_ = std::sqrt(std::max(rest, 1e-12 * std::max(here_.curve[1][1], 1e-280)));
  }

  bool holds(const Parameters& at) const { return misfit(series_, law_, at).squares <= limit_; }

  // visit(parameters, log of lambda, the possible error of that log in both directions)
  template <typename Visit>
  void walk(Visit visit) const {
    visit(best_, here_.log_lambda, room(here_));
    constexpr int kDirections = 96;
    for (int i = 0; i < kDirections; ++i) {
      Parameters way = direction(2 * std::numbers::pi * i / kDirections);
      double end = reach(way);
      for (double part : {0.35, 0.6, 0.8, 0.93, 1.0}) {
        Parameters at = along(way, part * end);
        Misfit there = misfit(series_, law_, at);
        visit(at, there.log_lambda, room(there));
      }
    }
  }

 private:
  double room(const Misfit& there) const {
    return std::sqrt(std::max(0.0, limit_ - there.squares) / series_.all_runs);
  }

  // The length leaves the region if the sum of squares is a parabola.
  Parameters direction(double angle) const {
    double second = std::sin(angle) / root11_;
    double first = (std::cos(angle) - root10_ * second) / root00_;
    return {first * std::sqrt(slack_), second * std::sqrt(slack_)};
  }

  Parameters along(const Parameters& way, double length) const {
    return {std::clamp(best_.first + length * way.first, 0.0, 1.0),
            std::clamp(best_.second + length * way.second, 0.0, 1.0)};
  }

  // The length at which a parameter reaches 0 or 1.
  double length_inside(const Parameters& way) const {
    auto until = [](double from, double speed) {
      return speed == 0 ? kInfinity : ((speed > 0 ? 1.0 : 0.0) - from) / speed;
    };
    return std::min(until(best_.first, way.first), until(best_.second, way.second));
  }

  double reach(const Parameters& way) const {
    double end = length_inside(way);
    double inside = 0;
    double outside = std::min(0.25, end);
    while (holds(along(way, outside))) {
      if (outside >= end) {
        return end;
      }
      inside = outside;
      outside = std::min(outside * 2, end);
    }
    for (int round = 0; round < 30; ++round) {
      double middle = (inside + outside) / 2;
      (holds(along(way, middle)) ? inside : outside) = middle;
    }
    return inside;
  }

  const RunsByN& series_;
  Law law_;
  Parameters best_;
  Misfit here_;
  double slack_ = 0;
  double limit_ = 0;
  double root00_ = 0;
  double root10_ = 0;
  double root11_ = 0;
};

// ---- The report --------------------------------------------------------------------------------

// Half as far again as was measured, so that a knee just beyond the last N is visible.
std::vector<double> curve_points(const RunsByN& series) {
  constexpr int kSteps = 48;
  double first = series.n.front();
  double ratio = 1.5 * series.n.back() / first;
  std::vector<double> points;
  for (int i = 0; i <= kSteps; ++i) {
    points.push_back(first * std::pow(ratio, static_cast<double>(i) / kSteps));
  }
  return points;
}

void estimate(const Region& region, const Best& best, ScalingFit& fit) {
  double lambda = std::exp(best.misfit.log_lambda);
  fit.lambda = exactly(lambda);
  Estimate first = exactly(best.at.first);
  Estimate second = exactly(best.at.second);
  Estimate knee = exactly(knee_of(best.law, best.at));
  Estimate half = exactly(last_half_gain(best.law, best.at));
  Estimate ceiling = exactly(lambda * knee.value);
  auto at_point = [&](double level, const Parameters& at, double n) {
    return level * n * std::exp(-slowdown(best.law, at, n).log);
  };
  for (ScalingPoint& point : fit.curve) {
    point.throughput = exactly(at_point(lambda, best.at, point.n));
  }
  region.walk([&](const Parameters& at, double log_level, double room) {
    widen(first, at.first);
    widen(second, at.second);
    widen(knee, knee_of(best.law, at));
    widen(half, last_half_gain(best.law, at));
    for (double level : {std::exp(log_level - room), std::exp(log_level + room)}) {
      widen(fit.lambda, level);
      widen(ceiling, level * knee_of(best.law, at));
      for (ScalingPoint& point : fit.curve) {
        widen(point.throughput, at_point(level, at, point.n));
      }
    }
  });
  if (best.law == Law::kSaturation) {
    fit.knee = knee;
    fit.ceiling = ceiling;
  } else {
    fit.sigma = first;
    fit.kappa = second;
    if (second.low > 0) {
      fit.knee = knee;
    }
  }
  if (std::isfinite(half.value)) {
    fit.half = half;
  }
}

// Which terms the runs need, at a level of probability.
class Judge {
 public:
  Judge(const RunsByN& series, const Best& best, const Spread& spread, double level)
      : series_(series), best_(best), spread_(spread), level_(level) {}

  // The probability of runs this far from these parameters, if these are the true ones.
  double probability(const Misfit& there) const {
    double more = std::max(0.0, there.squares - best_.misfit.squares);
    return student_two_sided(std::sqrt(more / spread_.variance), spread_.degrees);
  }
  double probability_of_linear() const {
    return probability(misfit(series_, Law::kScalability, {0, 0}));
  }

  ScalingVerdict verdict() const {
    if (!spread_.fits) {
      return ScalingVerdict::kDoesNotFit;
    }
    if (probability_of_linear() >= level_) {
      return ScalingVerdict::kLinear;
    }
    if (best_.law == Law::kSaturation) {
      return ScalingVerdict::kSaturation;
    }
    bool contention = is_needed({.first = true});
    bool coherency = is_needed({.second = true});
    return contention && coherency ? ScalingVerdict::kBoth
           : contention            ? ScalingVerdict::kContention
           : coherency             ? ScalingVerdict::kCoherency
                                   : ScalingVerdict::kUnclear;
  }

 private:
  // Whether no curve without the held term fits: by the spread of the runs, and by more than the
  // disturbance of a slightly busy machine.
  bool is_needed(const Held& held) const {
    Best without = least_squares(series_, Law::kScalability, held);
    double off = std::sqrt(without.misfit.squares / series_.all_runs);
    return probability(without.misfit) < kNamingPart * level_ && off > kDistinguishable;
  }

  const RunsByN& series_;
  const Best& best_;
  const Spread& spread_;
  double level_;
};

// The share of the variation of throughputs that the curve explains (R squared).
double explained_share(const RunsByN& series, const Best& best) {
  auto log_throughput = [&](size_t i) { return series.level[i] + std::log(series.n[i]); };
  double mean = 0;
  for (size_t i = 0; i < series.n.size(); ++i) {
    mean += series.runs[i] / series.all_runs * log_throughput(i);
  }
  double around_mean = series.within;
  for (size_t i = 0; i < series.n.size(); ++i) {
    double off = log_throughput(i) - mean;
    around_mean += series.runs[i] * off * off;
  }
  double unexplained = best.misfit.squares + series.within;
  return around_mean > 0 ? std::max(0.0, 1 - unexplained / around_mean) : 1;
}

}  // namespace

ScalingFit fit_scaling(std::span<const ScalingRun> runs, double level) {
  ScalingFit fit;
  RunsByN series = to_runs_by_n(logs_by_n(runs));
  if (auto left_out = static_cast<double>(runs.size()) - series.all_runs; left_out > 0) {
    fit.notes.push_back(
        fmt::format("{} {} left out: a fit needs N of 1 or more, and throughputs above 0.",
                    left_out,
                    left_out == 1 ? "run is" : "runs are"));
  }
  if (static_cast<double>(series.n.size()) < kParameters || series.all_runs <= kParameters) {
    fit.summary = scaling_summary(fit, series, {});
    return fit;
  }
  Best best = better_law(series);
  Spread spread = spread_about(series, best.misfit.squares);
  Region region(series, best, spread);
  for (double n : curve_points(series)) {
    fit.curve.push_back({n, {}});
  }
  estimate(region, best, fit);
  Judge judge(series, best, spread, level);
  fit.probability = judge.probability_of_linear();
  fit.verdict = judge.verdict();
  if (fit.verdict == ScalingVerdict::kLinear) {
    fit.half.reset();
  }
  bool has_peak = fit.verdict == ScalingVerdict::kCoherency || fit.verdict == ScalingVerdict::kBoth;
  if (!has_peak && !fit.ceiling) {
    fit.knee.reset();
  }
  fit.r2 = explained_share(series, best);
  fit.summary = scaling_summary(fit, series, spread);
  add_scaling_notes(series, fit);
  return fit;
}

std::vector<ScalingEfficiency> scaling_efficiency(std::span<const ScalingRun> runs) {
  LogsByN logs = logs_by_n(runs);
  std::vector<ScalingEfficiency> result;
  for (const auto& [n, values] : logs) {
    const std::vector<double>& least = logs.begin()->second;
    if (n == logs.begin()->first) {
      result.push_back({n, exactly(1)});
      continue;
    }
    Difference off = compare_runs({least}, {values});
    bool is_known = least.size() > 1 || values.size() > 1;
    result.push_back({n,
                      {std::exp(off.change),
                       is_known ? std::exp(off.low) : 0,
                       is_known ? std::exp(off.high) : kInfinity}});
  }
  return result;
}

}  // namespace wick

#include "analyze/scaling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include <fmt/format.h>

#include "base/distributions.h"
#include "base/statistics.h"

namespace wick {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kParameters = 3;
// Below this the points are near enough to the curve for any use, however exact the runs are.
constexpr double kSmallMisfit = 0.02;
// Without repeats only a misfit that anyone would see is called one.
constexpr double kLargeMisfit = 0.2;

struct Parameters {
  double sigma = 0;
  double kappa = 0;
};

// The runs by N; what they vary by at one N does not depend on the fit.
struct Series {
  std::vector<double> n;
  std::vector<double> level;  // mean of log(throughput / N)
  std::vector<double> runs;
  double all_runs = 0;
  double within = 0;  // sum of squares within the Ns
};

using LogsByN = std::map<double, std::vector<double>>;

LogsByN logs_by_n(std::span<const ScalingRun> runs) {
  LogsByN logs;
  for (const ScalingRun& run : runs) {
    if (std::isfinite(run.n) && run.n >= 1 && std::isfinite(run.throughput) && run.throughput > 0) {
      logs[run.n].push_back(std::log(run.throughput / run.n));
    }
  }
  return logs;
}

Series to_series(const LogsByN& logs) {
  Series series;
  for (const auto& [n, values] : logs) {
    double mean = 0;
    for (double value : values) {
      mean += value / static_cast<double>(values.size());
    }
    for (double value : values) {
      series.within += (value - mean) * (value - mean);
    }
    series.n.push_back(n);
    series.level.push_back(mean);
    series.runs.push_back(static_cast<double>(values.size()));
    series.all_runs += series.runs.back();
  }
  return series;
}

double slowdown(const Parameters& at, double n) {
  return 1 + at.sigma * (n - 1) + at.kappa * n * (n - 1);
}

// ---- The sum of squares ------------------------------------------------------------------------

// Lambda is a mean once the other two are known, so two parameters are left to search.
struct Misfit {
  double log_lambda = 0;
  double squares = 0;
  std::array<double, 2> slope = {};                 // half of the gradient
  std::array<std::array<double, 2>, 2> curve = {};  // Gauss-Newton's normal matrix
};

Misfit misfit(const Series& series, const Parameters& at) {
  Misfit result;
  std::array<double, 2> mean_effect = {};
  for (size_t i = 0; i < series.n.size(); ++i) {
    double n = series.n[i];
    double slow = slowdown(at, n);
    double weight = series.runs[i] / series.all_runs;
    result.log_lambda += weight * (series.level[i] + std::log(slow));
    mean_effect[0] += weight * (n - 1) / slow;
    mean_effect[1] += weight * n * (n - 1) / slow;
  }
  for (size_t i = 0; i < series.n.size(); ++i) {
    double n = series.n[i];
    double slow = slowdown(at, n);
    double off = series.level[i] + std::log(slow) - result.log_lambda;
    std::array<double, 2> effect = {(n - 1) / slow - mean_effect[0],
                                    n * (n - 1) / slow - mean_effect[1]};
    result.squares += series.runs[i] * off * off;
    for (size_t row : {0U, 1U}) {
      result.slope[row] += series.runs[i] * off * effect[row];
      for (size_t column : {0U, 1U}) {
        result.curve[row][column] += series.runs[i] * effect[row] * effect[column];
      }
    }
  }
  return result;
}

// ---- The least of it ---------------------------------------------------------------------------

bool pushes_out(double value, double slope) {
  return (value <= 0 && slope > 0) || (value >= 1 && slope < 0);
}

// A damped Gauss-Newton step; a parameter that would leave 0 to 1 stays where it is.
Parameters step_from(const Parameters& at, const Misfit& here, double damping) {
  double a = here.curve[0][0] * (1 + damping);
  double c = here.curve[1][1] * (1 + damping);
  double b = here.curve[0][1];
  double sigma_slope = here.slope[0];
  double kappa_slope = here.slope[1];
  bool sigma_held = pushes_out(at.sigma, sigma_slope);
  bool kappa_held = pushes_out(at.kappa, kappa_slope);
  Parameters step;
  double determinant = a * c - b * b;
  if (!sigma_held && !kappa_held && determinant > 0) {
    step.sigma = -(c * sigma_slope - b * kappa_slope) / determinant;
    step.kappa = -(a * kappa_slope - b * sigma_slope) / determinant;
  } else if (!sigma_held && a > 0) {
    step.sigma = -sigma_slope / a;
  } else if (!kappa_held && c > 0) {
    step.kappa = -kappa_slope / c;
  }
  return {std::clamp(at.sigma + step.sigma, 0.0, 1.0), std::clamp(at.kappa + step.kappa, 0.0, 1.0)};
}

Parameters descend(const Series& series, Parameters at) {
  Misfit here = misfit(series, at);
  double damping = 1e-3;
  for (int round = 0; round < 300 && damping < 1e12; ++round) {
    Parameters next = step_from(at, here, damping);
    Misfit there = misfit(series, next);
    if (there.squares < here.squares) {
      at = next;
      here = there;
      damping = std::max(damping / 5, 1e-12);
    } else {
      damping *= 5;
    }
  }
  return at;
}

Parameters least_squares(const Series& series) {
  Parameters best;
  double least = kInfinity;
  for (Parameters start : {Parameters{0, 0}, {0.1, 1e-4}, {0.5, 0}, {0.9, 0.1}, {0.01, 1e-6}}) {
    Parameters end = descend(series, start);
    if (double squares = misfit(series, end).squares; squares < least) {
      least = squares;
      best = end;
    }
  }
  return best;
}

// ---- How sure ----------------------------------------------------------------------------------

// Probability of a ratio of mean squares as large as this, where both have one cause.
double f_probability(double ratio, double above, double below) {
  return incomplete_beta(below / 2, above / 2, below / (below + above * ratio));
}

struct Spread {
  double variance = 0;  // of the log of one run
  double degrees = 0;
  double off_curve = 0;  // typical distance of a point from the curve
  double of_runs = 0;    // typical distance of a run from its point; 0 without repeats
  bool fits = true;
};

Spread spread_about(const Series& series, double squares) {
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
    if (of_repeats > 0 && series.within > 0) {
      double ratio = (squares / of_shape) / (series.within / of_repeats);
      result.fits =
          result.off_curve < kSmallMisfit || f_probability(ratio, of_shape, of_repeats) > 0.01;
    } else {
      result.fits = result.off_curve < (of_repeats > 0 ? kSmallMisfit : kLargeMisfit);
    }
    // Then the points are what varies about the curve, and there are few of them.
    if (!result.fits) {
      result.variance = std::max(result.variance, squares / of_shape);
      result.degrees = of_shape;
    }
  }
  // Clocks are no better than this.
  result.variance = std::max(result.variance, 1e-12);
  return result;
}

double peak(const Parameters& at) {
  return at.kappa > 0 ? std::sqrt(std::max(0.0, 1 - at.sigma) / at.kappa) : kInfinity;
}

// The gain of one more, where the first gained 1.
double gain(const Parameters& at, double n) {
  double slow = slowdown(at, n);
  return (1 - at.sigma - at.kappa * n * n) / (slow * slow);
}

// Gains only fall, so the last N with half is found by halving; below 1 when there is none.
double last_half_gain(const Parameters& at) {
  constexpr double kFar = 1e9;
  if (gain(at, kFar) >= 0.5) {
    return kInfinity;
  }
  double low = 0;
  double high = std::log(kFar);
  for (int round = 0; round < 50; ++round) {
    double middle = (low + high) / 2;
    (gain(at, std::exp(middle)) >= 0.5 ? low : high) = middle;
  }
  return low == 0 ? 0 : std::exp(low);
}

void widen(Estimate& estimate, double value) {
  estimate.low = std::min(estimate.low, value);
  estimate.high = std::max(estimate.high, value);
}

Estimate exactly(double value) {
  return {value, value, value};
}

// Walks the region of parameters that the runs do not exclude: from the best point outwards in
// directions that are even where the sum of squares is round.
class Region {
 public:
  Region(const Series& series, const Parameters& best, const Spread& spread)
      : series_(series), best_(best), here_(misfit(series, best)) {
    double t = student_deviate(0.05, spread.degrees);
    slack_ = spread.variance * t * t;
    limit_ = here_.squares + slack_;
    // Cholesky of the normal matrix; never singular for three different Ns, but for rounding.
    root00_ = std::sqrt(std::max(here_.curve[0][0], 1e-300));
    root10_ = here_.curve[0][1] / root00_;
    double rest = here_.curve[1][1] - root10_ * root10_;
    root11_ = std::sqrt(std::max(rest, 1e-12 * std::max(here_.curve[1][1], 1e-280)));
  }

  bool holds(const Parameters& at) const { return misfit(series_, at).squares <= limit_; }

  // visit(parameters, log of lambda, by how much that may be off either way)
  template <typename Visit>
  void walk(Visit visit) const {
    visit(best_, here_.log_lambda, room(here_));
    constexpr int kDirections = 144;
    for (int i = 0; i < kDirections; ++i) {
      Parameters way = direction(2 * std::numbers::pi * i / kDirections);
      double end = reach(way);
      for (double part : {0.35, 0.6, 0.8, 0.93, 1.0}) {
        Parameters at = along(way, part * end);
        Misfit there = misfit(series_, at);
        visit(at, there.log_lambda, room(there));
      }
    }
  }

 private:
  double room(const Misfit& there) const {
    return std::sqrt(std::max(0.0, limit_ - there.squares) / series_.all_runs);
  }

  // Of a length that leaves the region when the sum of squares is a parabola.
  Parameters direction(double angle) const {
    double kappa = std::sin(angle) / root11_;
    double sigma = (std::cos(angle) - root10_ * kappa) / root00_;
    return {sigma * std::sqrt(slack_), kappa * std::sqrt(slack_)};
  }

  Parameters along(const Parameters& way, double length) const {
    return {std::clamp(best_.sigma + length * way.sigma, 0.0, 1.0),
            std::clamp(best_.kappa + length * way.kappa, 0.0, 1.0)};
  }

  // The length at which a parameter meets 0 or 1.
  double length_inside(const Parameters& way) const {
    auto until = [](double from, double speed) {
      return speed == 0 ? kInfinity : ((speed > 0 ? 1.0 : 0.0) - from) / speed;
    };
    return std::min(until(best_.sigma, way.sigma), until(best_.kappa, way.kappa));
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

  const Series& series_;
  Parameters best_;
  Misfit here_;
  double slack_ = 0;
  double limit_ = 0;
  double root00_ = 0;
  double root10_ = 0;
  double root11_ = 0;
};

// ---- What is told ------------------------------------------------------------------------------

// Half as far again as was measured, so that a knee just beyond is seen.
std::vector<double> curve_places(const Series& series) {
  constexpr int kSteps = 48;
  double first = series.n.front();
  double ratio = 1.5 * series.n.back() / first;
  std::vector<double> places;
  for (int i = 0; i <= kSteps; ++i) {
    places.push_back(first * std::pow(ratio, static_cast<double>(i) / kSteps));
  }
  return places;
}

void estimate(const Region& region, const Parameters& best, double log_lambda, ScalingFit& fit) {
  fit.lambda = exactly(std::exp(log_lambda));
  fit.sigma = exactly(best.sigma);
  fit.kappa = exactly(best.kappa);
  Estimate knee = exactly(peak(best));
  Estimate half = exactly(last_half_gain(best));
  for (ScalingPlace& place : fit.curve) {
    place.throughput = exactly(fit.lambda.value * place.n / slowdown(best, place.n));
  }
  region.walk([&](const Parameters& at, double log_level, double room) {
    widen(fit.sigma, at.sigma);
    widen(fit.kappa, at.kappa);
    widen(knee, peak(at));
    widen(half, last_half_gain(at));
    for (double level : {std::exp(log_level - room), std::exp(log_level + room)}) {
      widen(fit.lambda, level);
      for (ScalingPlace& place : fit.curve) {
        widen(place.throughput, level * place.n / slowdown(at, place.n));
      }
    }
  });
  if (fit.kappa.low > 0) {
    fit.knee = knee;
  }
  if (std::isfinite(half.value)) {
    fit.half = half;
  }
}

ScalingVerdict judge(const ScalingFit& fit, const Region& region, const Spread& spread) {
  if (!spread.fits) {
    return ScalingVerdict::kDoesNotFit;
  }
  bool contention = fit.sigma.low > 0;
  bool coherency = fit.kappa.low > 0;
  if (contention || coherency) {
    return contention && coherency ? ScalingVerdict::kBoth
           : contention            ? ScalingVerdict::kContention
                                   : ScalingVerdict::kCoherency;
  }
  return region.holds({0, 0}) ? ScalingVerdict::kLinear : ScalingVerdict::kUnclear;
}

std::string summarize(const ScalingFit& fit, const Spread& spread) {
  auto percent = [](double share) { return fmt::format("{:.3g} %", 100 * share); };
  std::string waits = fmt::format("{} of the work waits for one at a time (95 %: {} to {})",
                                  percent(fit.sigma.value),
                                  percent(fit.sigma.low),
                                  percent(fit.sigma.high));
  std::string pays = fmt::format("each pays {} for each of the others (95 %: {} to {})",
                                 percent(fit.kappa.value),
                                 percent(fit.kappa.low),
                                 percent(fit.kappa.high));
  switch (fit.verdict) {
    case ScalingVerdict::kDoesNotFit:
      return fmt::format(
          "The model does not fit: points lie {} off the curve{}. Believe the points.",
          percent(spread.off_curve),
          spread.of_runs > 0 ? fmt::format(", runs of one point {} apart", percent(spread.of_runs))
                             : "");
    case ScalingVerdict::kLinear:
      return "Linear, as far as these runs show.";
    case ScalingVerdict::kContention:
      return fmt::format("Contention: {}.", waits);
    case ScalingVerdict::kCoherency:
      return fmt::format("Coherency: {}.", pays);
    case ScalingVerdict::kBoth:
      return fmt::format("Contention and coherency: {}; {}.", waits, pays);
    case ScalingVerdict::kUnclear:
      return "Not linear; these runs cannot tell contention from coherency. More runs, or larger "
             "N, would.";
    case ScalingVerdict::kNotFitted:
      break;
  }
  return "Too few points: a fit takes three different N of 1 or more, and four runs.";
}

void add_notes(const Series& series, ScalingFit& fit) {
  double largest = series.n.back();
  if (series.n.size() == 3) {
    fit.notes.push_back(
        "With three different N every such curve passes close by; whether the shape is right is "
        "not known.");
  }
  if (series.all_runs == static_cast<double>(series.n.size())) {
    fit.notes.push_back(
        "Each point was run once: what runs differ by is guessed from the distance to the curve.");
  }
  if (fit.knee && fit.knee->value > largest) {
    fit.notes.push_back(fmt::format(
        "The knee lies beyond the largest N that was run ({:.4g}): an extrapolation.", largest));
  }
  if (series.level.back() > series.level.front() + std::log1p(kSmallMisfit) &&
      fit.verdict == ScalingVerdict::kDoesNotFit) {
    fit.notes.push_back(
        "It grows faster than N, which the model has no words for (a cache that fits at last?).");
  }
}

}  // namespace

std::string_view verdict_name(ScalingVerdict verdict) {
  switch (verdict) {
    case ScalingVerdict::kNotFitted:
      return "too few points";
    case ScalingVerdict::kDoesNotFit:
      return "does not fit";
    case ScalingVerdict::kLinear:
      return "linear";
    case ScalingVerdict::kContention:
      return "contention";
    case ScalingVerdict::kCoherency:
      return "coherency";
    case ScalingVerdict::kBoth:
      return "contention and coherency";
    case ScalingVerdict::kUnclear:
      return "not linear";
  }
  return "";
}

ScalingFit fit_scaling(std::span<const ScalingRun> runs) {
  ScalingFit fit;
  Series series = to_series(logs_by_n(runs));
  if (auto left_out = static_cast<double>(runs.size()) - series.all_runs; left_out > 0) {
    fit.notes.push_back(fmt::format(
        "{} runs are left out: a fit takes N of 1 or more, and throughputs above 0.", left_out));
  }
  if (static_cast<double>(series.n.size()) < kParameters || series.all_runs <= kParameters) {
    fit.summary = summarize(fit, {});
    return fit;
  }
  Parameters best = least_squares(series);
  Misfit here = misfit(series, best);
  Spread spread = spread_about(series, here.squares);
  Region region(series, best, spread);
  for (double n : curve_places(series)) {
    fit.curve.push_back({n, {}});
  }
  estimate(region, best, here.log_lambda, fit);
  fit.verdict = judge(fit, region, spread);
  fit.summary = summarize(fit, spread);

  double mean = 0;
  for (size_t i = 0; i < series.n.size(); ++i) {
    mean += series.runs[i] / series.all_runs * (series.level[i] + std::log(series.n[i]));
  }
  double around_mean = series.within;
  for (size_t i = 0; i < series.n.size(); ++i) {
    double off = series.level[i] + std::log(series.n[i]) - mean;
    around_mean += series.runs[i] * off * off;
  }
  fit.r2 = around_mean > 0 ? 1 - (here.squares + series.within) / around_mean : 1;
  add_notes(series, fit);
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

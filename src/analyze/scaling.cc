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
constexpr double kSmallMisfit = 0.05;
// Without repeats only a misfit that anyone would see is called one.
constexpr double kLargeMisfit = 0.2;

enum class Law { kScalability, kSaturation };

// Both from 0 to 1: sigma and kappa, or 1 / knee and 1 / p.
struct Parameters {
  double first = 0;
  double second = 0;
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
    double level = mean(values);
    for (double value : values) {
      series.within += (value - level) * (value - level);
    }
    series.n.push_back(n);
    series.level.push_back(level);
    series.runs.push_back(static_cast<double>(values.size()));
    series.all_runs += series.runs.back();
  }
  return series;
}

// ---- The laws ----------------------------------------------------------------------------------

// By how much N together are slower than N alone, as a logarithm, and how that changes with each
// parameter.
struct Slowdown {
  double log = 0;
  std::array<double, 2> effect = {};
};

Slowdown scalability(const Parameters& at, double n) {
  double slow = 1 + at.first * (n - 1) + at.second * n * (n - 1);
  return {std::log(slow), {(n - 1) / slow, n * (n - 1) / slow}};
}

// q softplus(log(u n) / q) with u = 1 / knee and q = 1 / p.
Slowdown saturation(const Parameters& at, double n) {
  double u = std::max(at.first, 1e-9);
  double q = std::max(at.second, 0.01);
  double y = std::log(u * n) / q;
  double softplus = y > 30 ? y : std::log1p(std::exp(y));
  double part = y > 30 ? 1 : std::exp(y) / (1 + std::exp(y));
  return {q * softplus, {part / u, softplus - y * part}};
}

Slowdown slowdown(Law law, const Parameters& at, double n) {
  return law == Law::kScalability ? scalability(at, n) : saturation(at, n);
}

// ---- The sum of squares ------------------------------------------------------------------------

// Lambda is a mean once the other two are known, so two parameters are left to search.
struct Misfit {
  double log_lambda = 0;
  double squares = 0;
  std::array<double, 2> slope = {};                 // half of the gradient
  std::array<std::array<double, 2>, 2> curve = {};  // Gauss-Newton's normal matrix
};

Misfit misfit(const Series& series, Law law, const Parameters& at) {
  Misfit result;
  std::array<double, 2> mean_effect = {};
  for (size_t i = 0; i < series.n.size(); ++i) {
    Slowdown slow = slowdown(law, at, series.n[i]);
    double weight = series.runs[i] / series.all_runs;
    result.log_lambda += weight * (series.level[i] + slow.log);
    mean_effect[0] += weight * slow.effect[0];
    mean_effect[1] += weight * slow.effect[1];
  }
  for (size_t i = 0; i < series.n.size(); ++i) {
    Slowdown slow = slowdown(law, at, series.n[i]);
    double off = series.level[i] + slow.log - result.log_lambda;
    std::array<double, 2> effect = {slow.effect[0] - mean_effect[0],
                                    slow.effect[1] - mean_effect[1]};
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
  bool first_held = pushes_out(at.first, here.slope[0]);
  bool second_held = pushes_out(at.second, here.slope[1]);
  Parameters step;
  double determinant = a * c - b * b;
  if (!first_held && !second_held && determinant > 0) {
    step.first = -(c * here.slope[0] - b * here.slope[1]) / determinant;
    step.second = -(a * here.slope[1] - b * here.slope[0]) / determinant;
  } else if (!first_held && a > 0) {
    step.first = -here.slope[0] / a;
  } else if (!second_held && c > 0) {
    step.second = -here.slope[1] / c;
  }
  return {std::clamp(at.first + step.first, 0.0, 1.0),
          std::clamp(at.second + step.second, 0.0, 1.0)};
}

Parameters descend(const Series& series, Law law, Parameters at) {
  Misfit here = misfit(series, law, at);
  double damping = 1e-3;
  for (int round = 0; round < 300 && damping < 1e9; ++round) {
    Parameters next = step_from(at, here, damping);
    Misfit there = misfit(series, law, next);
    if (there.squares < here.squares) {
      bool is_there = here.squares - there.squares < 1e-12 * here.squares;
      at = next;
      here = there;
      damping = std::max(damping / 5, 1e-12);
      if (is_there) {
        break;
      }
    } else {
      damping *= 5;
    }
  }
  return at;
}

// Where to begin: places far apart; a knee may be at any N that was run.
std::vector<Parameters> starts(const Series& series, Law law) {
  if (law == Law::kScalability) {
    return {{0, 0}, {0.1, 1e-4}, {0.5, 0}, {0.9, 0.1}, {0.01, 1e-6}};
  }
  std::vector<Parameters> result;
  for (double n : series.n) {
    result.push_back({1 / n, 0.1});
    result.push_back({1 / n, 0.7});
  }
  return result;
}

struct Best {
  Law law = Law::kScalability;
  Parameters at;
  Misfit misfit;
};

Best least_squares(const Series& series, Law law) {
  Best best{.law = law};
  best.misfit.squares = kInfinity;
  for (const Parameters& start : starts(series, law)) {
    Parameters end = descend(series, law, start);
    if (Misfit there = misfit(series, law, end); there.squares < best.misfit.squares) {
      best.at = end;
      best.misfit = there;
    }
  }
  return best;
}

// The law of saturation takes the place of the other when the runs are far likelier under it (both
// have as many parameters, so likelihoods compare) and its knee lies among them.
Best better_law(const Series& series) {
  constexpr double kFarLikelier = 10;  // twice the difference of log-likelihoods
  Best usual = least_squares(series, Law::kScalability);
  if (static_cast<double>(series.n.size()) <= kParameters) {
    return usual;
  }
  Best other = least_squares(series, Law::kSaturation);
  double floor = 1e-12 * series.all_runs;  // as good as exact
  double gain =
      (series.all_runs - kParameters) * std::log((usual.misfit.squares + series.within + floor) /
                                                 (other.misfit.squares + series.within + floor));
  bool has_knee = other.at.first * series.n.back() > 1 && other.at.first * series.n.front() < 1;
  return gain > kFarLikelier && has_knee ? other : usual;
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
    bool is_off = result.off_curve > kLargeMisfit;
    if (of_repeats > 0) {
      double ratio = (squares / of_shape) / std::max(series.within / of_repeats, 1e-12);
      is_off = f_probability(ratio, of_shape, of_repeats) < 0.01;
    }
    result.fits = !is_off || result.off_curve < kSmallMisfit;
    // Then the points are what varies about the curve, and there are few of them.
    if (is_off) {
      result.variance = std::max(result.variance, squares / of_shape);
      result.degrees = of_shape;
    }
  }
  // Clocks are no better than this.
  result.variance = std::max(result.variance, 1e-12);
  return result;
}

// Where throughput is highest, or begins to be level.
double knee_of(Law law, const Parameters& at) {
  if (law == Law::kSaturation) {
    return at.first > 0 ? 1 / at.first : kInfinity;
  }
  return at.second > 0 ? std::sqrt(std::max(0.0, 1 - at.first) / at.second) : kInfinity;
}

// The gain of one more, where the first gained 1.
double gain(Law law, const Parameters& at, double n) {
  Slowdown slow = slowdown(law, at, n);
  if (law == Law::kSaturation) {
    double full = at.first * slow.effect[0];  // the share of it that is full at N
    return (1 - full) * std::exp(-slow.log);
  }
  return (1 - at.first - at.second * n * n) * std::exp(-2 * slow.log);
}

// Gains only fall, so the last N with half is found by halving; 0 when there is none.
double last_half_gain(Law law, const Parameters& at) {
  constexpr double kFar = 1e9;
  if (gain(law, at, kFar) >= 0.5) {
    return kInfinity;
  }
  double low = 0;
  double high = std::log(kFar);
  for (int round = 0; round < 50; ++round) {
    double middle = (low + high) / 2;
    (gain(law, at, std::exp(middle)) >= 0.5 ? low : high) = middle;
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
  Region(const Series& series, const Best& best, const Spread& spread)
      : series_(series), law_(best.law), best_(best.at), here_(best.misfit) {
    double t = student_deviate(0.05, spread.degrees);
    slack_ = spread.variance * t * t;
    limit_ = here_.squares + slack_;
    // Cholesky of the normal matrix; never singular for three different Ns, but for rounding.
    root00_ = std::sqrt(std::max(here_.curve[0][0], 1e-300));
    root10_ = here_.curve[0][1] / root00_;
    double rest = here_.curve[1][1] - root10_ * root10_;
    root11_ = std::sqrt(std::max(rest, 1e-12 * std::max(here_.curve[1][1], 1e-280)));
  }

  bool holds(const Parameters& at) const { return misfit(series_, law_, at).squares <= limit_; }

  // visit(parameters, log of lambda, by how much that may be off either way)
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

  // Of a length that leaves the region when the sum of squares is a parabola.
  Parameters direction(double angle) const {
    double second = std::sin(angle) / root11_;
    double first = (std::cos(angle) - root10_ * second) / root00_;
    return {first * std::sqrt(slack_), second * std::sqrt(slack_)};
  }

  Parameters along(const Parameters& way, double length) const {
    return {std::clamp(best_.first + length * way.first, 0.0, 1.0),
            std::clamp(best_.second + length * way.second, 0.0, 1.0)};
  }

  // The length at which a parameter meets 0 or 1.
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

  const Series& series_;
  Law law_;
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

void estimate(const Region& region, const Best& best, ScalingFit& fit) {
  double lambda = std::exp(best.misfit.log_lambda);
  fit.lambda = exactly(lambda);
  Estimate first = exactly(best.at.first);
  Estimate second = exactly(best.at.second);
  Estimate knee = exactly(knee_of(best.law, best.at));
  Estimate half = exactly(last_half_gain(best.law, best.at));
  Estimate ceiling = exactly(lambda * knee.value);
  auto at_place = [&](double level, const Parameters& at, double n) {
    return level * n * std::exp(-slowdown(best.law, at, n).log);
  };
  for (ScalingPlace& place : fit.curve) {
    place.throughput = exactly(at_place(lambda, best.at, place.n));
  }
  region.walk([&](const Parameters& at, double log_level, double room) {
    widen(first, at.first);
    widen(second, at.second);
    widen(knee, knee_of(best.law, at));
    widen(half, last_half_gain(best.law, at));
    for (double level : {std::exp(log_level - room), std::exp(log_level + room)}) {
      widen(fit.lambda, level);
      widen(ceiling, level * knee_of(best.law, at));
      for (ScalingPlace& place : fit.curve) {
        widen(place.throughput, at_place(level, at, place.n));
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

ScalingVerdict judge(const ScalingFit& fit, const Region& region, const Spread& spread) {
  if (!spread.fits) {
    return ScalingVerdict::kDoesNotFit;
  }
  if (fit.ceiling) {
    return ScalingVerdict::kSaturation;
  }
  bool contention = fit.sigma->low > 0;
  bool coherency = fit.kappa->low > 0;
  if (contention || coherency) {
    return contention && coherency ? ScalingVerdict::kBoth
           : contention            ? ScalingVerdict::kContention
                                   : ScalingVerdict::kCoherency;
  }
  return region.holds({0, 0}) ? ScalingVerdict::kLinear : ScalingVerdict::kUnclear;
}

std::string percent(double share) {
  return fmt::format("{:.3g} %", 100 * share);
}

std::string number_text(const Estimate& estimate) {
  return fmt::format(
      "{:.3g} (95 %: {:.3g} to {})",
      estimate.value,
      estimate.low,
      std::isfinite(estimate.high) ? fmt::format("{:.3g}", estimate.high) : "no end");
}

std::string share_text(const std::string& before, const Estimate& estimate, const char* after) {
  return fmt::format("{}{} {} (95 %: {} to {})",
                     before,
                     percent(estimate.value),
                     after,
                     percent(estimate.low),
                     percent(estimate.high));
}

// The N of those run with the most throughput.
double best_n(const Series& series) {
  size_t best = 0;
  auto log_throughput = [&](size_t i) { return series.level[i] + std::log(series.n[i]); };
  for (size_t i = 1; i < series.n.size(); ++i) {
    best = log_throughput(i) > log_throughput(best) ? i : best;
  }
  return series.n[best];
}

// Beyond where it pays: the knee of the law of scalability.
std::string knee_text(const ScalingFit& fit) {
  if (!fit.knee) {
    return "";
  }
  return fit.knee->value <= 1 ? " More than one gains nothing."
                              : fmt::format(" It is highest at about {}.", number_text(*fit.knee));
}

std::string summarize(const ScalingFit& fit, const Series& series, const Spread& spread) {
  switch (fit.verdict) {
    case ScalingVerdict::kDoesNotFit:
      return fmt::format(
          "No law fits: points lie {} off the curve{}. Believe the points: of those run, {:.6g} "
          "gives most.",
          percent(spread.off_curve),
          spread.of_runs > 0 ? fmt::format(", runs of one point {} apart", percent(spread.of_runs))
                             : "",
          best_n(series));
    case ScalingVerdict::kLinear:
      return "Linear, as far as these runs show.";
    case ScalingVerdict::kContention:
      return share_text("Contention: ", *fit.sigma, "of the work waits for one at a time") + ".";
    case ScalingVerdict::kCoherency:
      return share_text("Coherency: each pays ", *fit.kappa, "for each of the others") + "." +
             knee_text(fit);
    case ScalingVerdict::kBoth:
      return fmt::format("Contention and coherency: {}; {}.",
                         share_text("", *fit.sigma, "of the work waits for one at a time"),
                         share_text("each pays ", *fit.kappa, "for each of the others")) +
             knee_text(fit);
    case ScalingVerdict::kUnclear:
      return "Not linear; these runs cannot tell contention from coherency. More runs, or larger "
             "N, would.";
    case ScalingVerdict::kSaturation:
      return fmt::format(
          "Saturation: it grows with N up to about {} and stays level beyond, at {}. Something is "
          "full there: a lock, the CPUs, a device.",
          number_text(*fit.knee),
          number_text(*fit.ceiling));
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
    case ScalingVerdict::kSaturation:
      return "saturation";
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
    fit.summary = summarize(fit, series, {});
    return fit;
  }
  Best best = better_law(series);
  Spread spread = spread_about(series, best.misfit.squares);
  Region region(series, best, spread);
  for (double n : curve_places(series)) {
    fit.curve.push_back({n, {}});
  }
  estimate(region, best, fit);
  fit.verdict = judge(fit, region, spread);
  if (fit.verdict == ScalingVerdict::kLinear) {
    fit.half.reset();
  }
  fit.summary = summarize(fit, series, spread);

  double mean = 0;
  for (size_t i = 0; i < series.n.size(); ++i) {
    mean += series.runs[i] / series.all_runs * (series.level[i] + std::log(series.n[i]));
  }
  double around_mean = series.within;
  for (size_t i = 0; i < series.n.size(); ++i) {
    double off = series.level[i] + std::log(series.n[i]) - mean;
    around_mean += series.runs[i] * off * off;
  }
  double unexplained = best.misfit.squares + series.within;
  fit.r2 = around_mean > 0 ? std::max(0.0, 1 - unexplained / around_mean) : 1;
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

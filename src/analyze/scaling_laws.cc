// SPDX-License-Identifier: Apache-2.0
#include "analyze/scaling_laws.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/statistics.h"

namespace wick::scaling {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

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

// ---- The minimum of the sum of squares ----------------------------------------------------------

bool pushes_out(double value, double slope) {
  return (value <= 0 && slope > 0) || (value >= 1 && slope < 0);
}

// A damped Gauss-Newton step. A parameter that would leave 0 to 1 does not move.
Parameters step_from(const Parameters& at, const Misfit& here, double damping, const Held& held) {
  double a = here.curve[0][0] * (1 + damping);
  double c = here.curve[1][1] * (1 + damping);
  double b = here.curve[0][1];
  bool first_held = held.first || pushes_out(at.first, here.slope[0]);
  bool second_held = held.second || pushes_out(at.second, here.slope[1]);
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

Parameters descend(const RunsByN& series, Law law, Parameters at, const Held& held) {
  Misfit here = misfit(series, law, at);
  double damping = 1e-3;
  for (int round = 0; round < 300 && damping < 1e9; ++round) {
    Parameters next = step_from(at, here, damping, held);
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

// Starting points that are far apart. A knee may be at any N that was run.
std::vector<Parameters> starts(const RunsByN& series, Law law) {
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

}  // namespace

Slowdown slowdown(Law law, const Parameters& at, double n) {
  return law == Law::kScalability ? scalability(at, n) : saturation(at, n);
}

Misfit misfit(const RunsByN& series, Law law, const Parameters& at) {
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

Best least_squares(const RunsByN& series, Law law, const Held& held) {
  Best best{.law = law};
  best.misfit.squares = kInfinity;
  for (Parameters start : starts(series, law)) {
    start.first = held.first ? 0 : start.first;
    start.second = held.second ? 0 : start.second;
    Parameters end = descend(series, law, start, held);
    if (Misfit there = misfit(series, law, end); there.squares < best.misfit.squares) {
      best.at = end;
      best.misfit = there;
    }
  }
  return best;
}

// The law of saturation replaces the other one if the runs are far likelier under it (both laws
// have as many parameters, so the likelihoods can be compared) and if its knee is among the
// measured Ns.
Best better_law(const RunsByN& series) {
  constexpr double kFarLikelier = 10;  // twice the difference of log-likelihoods
  Best usual = least_squares(series, Law::kScalability);
  if (static_cast<double>(series.n.size()) <= kParameters) {
    return usual;
  }
  Best other = least_squares(series, Law::kSaturation);
  double floor = 1e-12 * series.all_runs;  // practically exact
  double gain =
      (series.all_runs - kParameters) * std::log((usual.misfit.squares + series.within + floor) /
                                                 (other.misfit.squares + series.within + floor));
  bool has_knee = other.at.first * series.n.back() > 1 && other.at.first * series.n.front() < 1;
  return gain > kFarLikelier && has_knee ? other : usual;
}

double knee_of(Law law, const Parameters& at) {
  if (law == Law::kSaturation) {
    return at.first > 0 ? 1 / at.first : kInfinity;
  }
  return at.second > 0 ? std::sqrt(std::max(0.0, 1 - at.first) / at.second) : kInfinity;
}

// The gain of one more, if the first one gained 1.
static double gain(Law law, const Parameters& at, double n) {
  Slowdown slow = slowdown(law, at, n);
  if (law == Law::kSaturation) {
    double full = at.first * slow.effect[0];  // the share of the resource in use at N
    return (1 - full) * std::exp(-slow.log);
  }
  return (1 - at.first - at.second * n * n) * std::exp(-2 * slow.log);
}

// Gains decrease with N, so bisection finds it.
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

LogsByN logs_by_n(std::span<const ScalingRun> runs) {
  LogsByN logs;
  for (const ScalingRun& run : runs) {
    if (std::isfinite(run.n) && run.n >= 1 && std::isfinite(run.throughput) && run.throughput > 0) {
      logs[run.n].push_back(std::log(run.throughput / run.n));
    }
  }
  return logs;
}

RunsByN to_runs_by_n(const LogsByN& logs) {
  RunsByN series;
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

}  // namespace wick::scaling

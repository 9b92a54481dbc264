// SPDX-License-Identifier: Apache-2.0
// The two laws of scaling.h as least squares: how far runs are from a law with given parameters,
// and the parameters with the smallest distance. Lambda is a mean once the other two parameters are
// known, so the search has two dimensions.
#pragma once

#include <array>
#include <map>
#include <span>
#include <vector>

#include "analyze/scaling.h"

namespace wick::scaling {

inline constexpr double kParameters = 3;

enum class Law { kScalability, kSaturation };

// Both from 0 to 1: sigma and kappa, or 1 / knee and 1 / p.
struct Parameters {
  double first = 0;
  double second = 0;
};

using LogsByN = std::map<double, std::vector<double>>;

// By N: the logs of throughput / N. Values without a logarithm are left out.
LogsByN logs_by_n(std::span<const ScalingRun> runs);

// The runs by N. Their variation at one N does not depend on the fit.
struct RunsByN {
  std::vector<double> n;
  std::vector<double> level;  // mean of log(throughput / N)
  std::vector<double> runs;
  double all_runs = 0;
  double within = 0;  // sum of squares within the Ns
};

RunsByN to_runs_by_n(const LogsByN& logs);

// How much slower N together are than N alone, as a logarithm, and its derivatives by the
// parameters.
struct Slowdown {
  double log = 0;
  std::array<double, 2> effect = {};
};

Slowdown slowdown(Law law, const Parameters& at, double n);

struct Misfit {
  double log_lambda = 0;
  double squares = 0;
  std::array<double, 2> slope = {};                 // half of the gradient
  std::array<std::array<double, 2>, 2> curve = {};  // Gauss-Newton's normal matrix
};

Misfit misfit(const RunsByN& series, Law law, const Parameters& at);

struct Best {
  Law law = Law::kScalability;
  Parameters at;
  Misfit misfit;
};

// Parameters that are held at 0.
struct Held {
  bool first = false;
  bool second = false;
};
Best least_squares(const RunsByN& series, Law law, const Held& held = {});
// The law that describes the runs best.
Best better_law(const RunsByN& series);

// The N with the highest throughput, or from which it stays level.
double knee_of(Law law, const Parameters& at);
// The last N after which one more gains half as much as the first; 0 if there is none.
double last_half_gain(Law law, const Parameters& at);

}  // namespace wick::scaling

// The two laws of scaling.h as least squares: how far runs lie from a law with given parameters,
// and the parameters for which that is least. Lambda is a mean once the other two are known, so two
// parameters are searched.
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

// Of log(throughput / N); what cannot be one is left out.
LogsByN logs_by_n(std::span<const ScalingRun> runs);

// The runs by N; what they vary by at one N does not depend on the fit.
struct RunsByN {
  std::vector<double> n;
  std::vector<double> level;  // mean of log(throughput / N)
  std::vector<double> runs;
  double all_runs = 0;
  double within = 0;  // sum of squares within the Ns
};

RunsByN to_runs_by_n(const LogsByN& logs);

// By how much N together are slower than N alone, as a logarithm, and how that changes with each
// parameter.
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

// Parameters that stay 0.
struct Held {
  bool first = false;
  bool second = false;
};
Best least_squares(const RunsByN& series, Law law, const Held& held = {});
// The law that the runs are to be told by.
Best better_law(const RunsByN& series);

// Where throughput is highest, or begins to be level.
double knee_of(Law law, const Parameters& at);
// The last N of which one more gains half of what the first gave; 0 when there is none.
double last_half_gain(Law law, const Parameters& at);

}  // namespace wick::scaling

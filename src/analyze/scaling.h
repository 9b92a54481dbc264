// SPDX-License-Identifier: Apache-2.0
// How throughput grows with N (threads, clients, instances). Two laws are tried:
//
//     scalability  X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1))       (Gunther)
//     saturation   X(N) = lambda N / (1 + (N / knee)^p)^(1/p), p of 1 or more
//
//     lambda  throughput of one
//     sigma   contention: the share of the work that waits for one at a time (a lock)
//     kappa   coherency: the cost of each for each of the others (shared cache lines)
//     knee    where a resource is full: beyond it throughput stays at lambda knee
//
// The first law describes work that slows down a little more with each N. It cannot describe a
// resource that is free until it is full, such as a lock that each thread takes now and then. The
// second law does, and is used if the runs clearly prefer it. The fit is least squares on
// logarithms, because timings vary in proportion to their size. Intervals are ranges over the
// profile-likelihood region. docs/statistics.md explains why. The functions are pure: the same runs
// give the same fit.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace wick {

struct ScalingRun {
  double n = 0;
  double throughput = 0;
};

// With its 95 % interval; `high` may be infinite.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
};

struct ScalingPoint {
  double n = 0;
  Estimate throughput;
};

enum class ScalingVerdict {
  kNotFitted,   // too few points
  kDoesNotFit,  // the points are further from the curve than their spread allows
  kLinear,      // no evidence for anything else
  kContention,  // sigma is above 0
  kCoherency,   // kappa is above 0
  kBoth,
  kUnclear,     // one of the two, but these runs cannot say which
  kSaturation,  // straight up to a knee, then level
};
std::string_view verdict_name(ScalingVerdict verdict);

struct ScalingFit {
  ScalingVerdict verdict = ScalingVerdict::kNotFitted;
  std::string summary;             // the verdict as a sentence
  std::vector<std::string> notes;  // read these before trusting the verdict
  // All below are empty when not fitted.
  Estimate lambda;
  // Of the law of scalability; none if the other law was taken.
  std::optional<Estimate> sigma;
  std::optional<Estimate> kappa;
  // The N with the highest throughput, sqrt((1 - sigma) / kappa): only if the verdict is coherency.
  // For saturation: the N at which the resource is full.
  std::optional<Estimate> knee;
  std::optional<Estimate> ceiling;  // of saturation: the throughput beyond the knee
  // The last N after which one more gains at least half as much as the first. None if scaling is
  // linear in the known range.
  std::optional<Estimate> half;
  double r2 = 0;
  double probability = 1;           // of runs this far from linear, if scaling is linear
  std::vector<ScalingPoint> curve;  // the fit and its band, from the smallest N to beyond the last
};

// `level` is the level of the verdict. Callers that fit many series use a lower one (Holm).
// Intervals are always 95 %.
ScalingFit fit_scaling(std::span<const ScalingRun> runs, double level = 0.05);

// Throughput per N relative to that of the smallest N: 1 is linear scaling. Sorted by N. If no N
// has two runs, the intervals are 0 to infinity.
struct ScalingEfficiency {
  double n = 0;
  Estimate efficiency;
};
std::vector<ScalingEfficiency> scaling_efficiency(std::span<const ScalingRun> runs);

}  // namespace wick

// How throughput grows with N (threads, clients, instances). Two laws are tried:
//
//     scalability  X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1))       (Gunther)
//     saturation   X(N) = lambda N / (1 + (N / knee)^p)^(1/p), p of 1 or more
//
//     lambda  throughput of one
//     sigma   contention: the share of the work that waits for one at a time (a lock)
//     kappa   coherency: what each pays for each of the others (shared cache lines)
//     knee    where something is full: beyond it throughput stays at lambda knee
//
// The first says what slows down a little more with each N. It has no words for a resource that
// is free until it is full, as a lock is that each takes now and then; the second is for that, and
// is told when the runs clearly prefer it. Least squares on logarithms, because timings vary in
// proportion; intervals are ranges over the profile-likelihood region. docs/statistics.md tells
// why. Numbers in, numbers out: the same runs give the same fit.
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

struct ScalingPlace {
  double n = 0;
  Estimate throughput;
};

enum class ScalingVerdict {
  kNotFitted,   // too few points
  kDoesNotFit,  // the points lie off the curve by more than their spread
  kLinear,      // no evidence for anything else
  kContention,  // sigma is above 0
  kCoherency,   // kappa is above 0
  kBoth,
  kUnclear,     // one of the two, which cannot be told apart here
  kSaturation,  // straight up to a knee, then level
};
std::string_view verdict_name(ScalingVerdict verdict);

struct ScalingFit {
  ScalingVerdict verdict = ScalingVerdict::kNotFitted;
  std::string summary;             // the verdict as a sentence
  std::vector<std::string> notes;  // what to know before believing it
  // All below are empty when not fitted.
  Estimate lambda;
  // Of the law of scalability; nothing when the other was taken.
  std::optional<Estimate> sigma;
  std::optional<Estimate> kappa;
  // Where throughput is highest, sqrt((1 - sigma) / kappa): only where coherency is the verdict.
  // Of saturation: where something is full.
  std::optional<Estimate> knee;
  std::optional<Estimate> ceiling;  // of saturation: the throughput beyond the knee
  // The last N of which one more still gains at least half of what the first one gave; nothing
  // where scaling is linear as far as is known.
  std::optional<Estimate> half;
  double r2 = 0;
  double probability = 1;           // of runs as far from linear as these where it is linear
  std::vector<ScalingPlace> curve;  // the fit and its band, from the least N to beyond the largest
};

// Verdicts are made at `level`: who fits many series takes a lower one (Holm). Intervals are of
// 95 % in any case.
ScalingFit fit_scaling(std::span<const ScalingRun> runs, double level = 0.05);

// Throughput per N against that of the least N: 1 is linear scaling. By N, least first; where no
// N has two runs the intervals are 0 to infinity.
struct ScalingEfficiency {
  double n = 0;
  Estimate efficiency;
};
std::vector<ScalingEfficiency> scaling_efficiency(std::span<const ScalingRun> runs);

}  // namespace wick

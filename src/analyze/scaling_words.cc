// SPDX-License-Identifier: Apache-2.0
#include "analyze/scaling_words.h"

#include <cmath>

#include <fmt/format.h>

namespace wick {
namespace {

using scaling::RunsByN;

std::string percent(double share) {
  return fmt::format("{:.3g} %", 100 * share);
}

std::string number_text(const Estimate& estimate) {
  return fmt::format(
      "{:.3g} (95 %: {:.3g} to {})",
      estimate.value,
      estimate.low,
      std::isfinite(estimate.high) ? fmt::format("{:.3g}", estimate.high) : "unbounded");
}

std::string share_text(const std::string& before, const Estimate& estimate, const char* after) {
  return fmt::format("{}{} {} (95 %: {} to {})",
                     before,
                     percent(estimate.value),
                     after,
                     percent(estimate.low),
                     percent(estimate.high));
}

// The measured N with the highest throughput.
double best_n(const RunsByN& series) {
  size_t best = 0;
  auto log_throughput = [&](size_t i) { return series.level[i] + std::log(series.n[i]); };
  for (size_t i = 1; i < series.n.size(); ++i) {
    best = log_throughput(i) > log_throughput(best) ? i : best;
  }
  return series.n[best];
}

// The point from which more threads do not help: the knee of the law of scalability.
std::string knee_text(const ScalingFit& fit) {
  if (!fit.knee) {
    return "";
  }
  return fit.knee->value <= 1 ? " More than one gains nothing."
                              : fmt::format(" It is highest at about {}.", number_text(*fit.knee));
}

}  // namespace

std::string scaling_summary(const ScalingFit& fit,
                            const RunsByN& series,
                            const ScalingSpread& spread) {
  switch (fit.verdict) {
    case ScalingVerdict::kDoesNotFit:
      return fmt::format(
          "No law fits: points are {} off the curve{}. Trust the points: of those run, {:.6g} has "
          "the highest throughput.",
          percent(spread.off_curve),
          spread.of_runs > 0 ? fmt::format(", runs of one point {} apart", percent(spread.of_runs))
                             : "",
          best_n(series));
    case ScalingVerdict::kLinear:
      return "Linear, as far as these runs show.";
    case ScalingVerdict::kContention:
      return share_text("Contention: ", *fit.sigma, "of the work runs one at a time") + ".";
    case ScalingVerdict::kCoherency:
      return share_text("Coherency: each pays ", *fit.kappa, "for each of the others") + "." +
             knee_text(fit);
    case ScalingVerdict::kBoth:
      return fmt::format("Contention and coherency: {}; {}.",
                         share_text("", *fit.sigma, "of the work runs one at a time"),
                         share_text("each pays ", *fit.kappa, "for each of the others")) +
             knee_text(fit);
    case ScalingVerdict::kUnclear:
      return "Not linear: contention or coherency; these runs cannot show which. More runs, or "
             "larger N, may.";
    case ScalingVerdict::kSaturation:
      return fmt::format(
          "Saturation: throughput grows with N up to about {}, then stays at {}. Something is full "
          "at that point: a lock, the CPUs, a device.",
          number_text(*fit.knee),
          number_text(*fit.ceiling));
    case ScalingVerdict::kNotFitted:
      break;
  }
  return "Too few points: a fit needs three different N of 1 or more, and four runs.";
}

void add_scaling_notes(const RunsByN& series, ScalingFit& fit) {
  double largest = series.n.back();
  if (series.n.size() == 3) {
    fit.notes.push_back(
        "With three different N, any such curve comes close; whether the shape is right is "
        "unknown.");
  }
  if (series.all_runs == static_cast<double>(series.n.size())) {
    fit.notes.push_back(
        "Each point was run once: the variation between runs is estimated from the distance to the "
        "curve.");
  }
  if (fit.knee && fit.knee->value > largest) {
    fit.notes.push_back(
        fmt::format("The knee is beyond the largest N run ({:.4g}): it is extrapolated.", largest));
  }
  if (series.level.back() > series.level.front() + std::log1p(kSmallMisfit) &&
      fit.verdict == ScalingVerdict::kDoesNotFit) {
    fit.notes.push_back(
        "Throughput grows faster than N, which the model cannot express (perhaps the data of each "
        "now fits into a cache).");
  }
}

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

}  // namespace wick

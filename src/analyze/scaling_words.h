// SPDX-License-Identifier: Apache-2.0
// A scaling fit in words: the verdict as a sentence, and notes about its limits. It computes
// nothing: the fit and its verdict come from scaling.h.
#pragma once

#include <string>

#include "analyze/scaling_laws.h"

namespace wick {

// Below this the points are close enough to a curve for any purpose, however precise the runs are.
inline constexpr double kSmallMisfit = 0.05;

// The variation of runs about the curve.
struct ScalingSpread {
  double variance = 0;  // of the log of one run
  double degrees = 0;
  double off_curve = 0;  // typical distance of a point from the curve
  double of_runs = 0;    // typical distance of a run from its point; 0 without repeats
  bool fits = true;
};

// The verdict as a sentence.
std::string scaling_summary(const ScalingFit& fit,
                            const scaling::RunsByN& series,
                            const ScalingSpread& spread);
// Notes to read before trusting the verdict.
void add_scaling_notes(const scaling::RunsByN& series, ScalingFit& fit);

}  // namespace wick

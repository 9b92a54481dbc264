// How a metric changed between runs of before and of after: one rule for `wick stat -- A -- B` and
// for two sweeps.
//
// What takes twice as long varies twice as much, and a ratio of 1000 is no smaller a difference
// because one side varies: where all numbers are above zero their logarithms are compared, as the
// times of pairs are; else the numbers themselves. Either way by base/statistics' compare_runs,
// which lets the spread between runs decide.
#pragma once

#include <span>

#include "base/statistics.h"

namespace wick {

// As fractions of before. Without an interval when there is one run on each side.
struct RunChange {
  double value = 0;
  double low = kNoNumber;
  double high = kNoNumber;
  double probability = 1;
};

// Both sides have runs. `counts`: a few runs of a count may show no spread by luck; it varies by
// one at least where chance has a part.
RunChange change_of_runs(std::span<const double> before,
                         std::span<const double> after,
                         bool counts);

}  // namespace wick

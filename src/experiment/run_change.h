// SPDX-License-Identifier: Apache-2.0
// How a metric changed from before to after, as a fraction of before.
//
// What takes twice as long varies twice as much, and a ratio of 1000 is not a smaller difference
// because one side varies: where all numbers are above zero their logarithms are compared, else the
// numbers themselves.
//
//     change_of_pairs   runs that were made in turns, one pair a turn: what slows both runs of a pair
//                       cancels out (base/statistics.h, compare_pairs); `stat -- A -- B`, the times
//                       of `diff --repeat` and `record --overhead`
//     change_of_runs    runs that were not made in turns, such as those of two sweeps: the spread
//                       between the runs of each side decides (compare_runs, Welch's test)
#pragma once

#include <span>

#include "base/statistics.h"

namespace wick {

// Without an interval when there is one pair, or one run on each side.
struct RunChange {
  double value = 0;
  double low = kNoNumber;
  double high = kNoNumber;
  double probability = 1;
};

// Both sides have as many runs, at least one, and run i of both is a pair. `counts`: a few runs of
// a count may show no spread by luck; where chance has a part it varies by one at least.
RunChange change_of_pairs(std::span<const double> before,
                          std::span<const double> after,
                          bool counts);
// Both sides have runs.
RunChange change_of_runs(std::span<const double> before,
                         std::span<const double> after,
                         bool counts);

}  // namespace wick

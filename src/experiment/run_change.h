// SPDX-License-Identifier: Apache-2.0
// How a metric changed from before to after, as a fraction of before.
//
// A program that takes twice as long also varies twice as much, and a ratio of 1000 does not become
// less certain because one side varies. So if all numbers are above zero, wick compares their
// logarithms, otherwise the numbers themselves.
//
//     change_of_pairs   runs made in turns, one pair a turn: a disturbance that slows both runs
//                       of a pair cancels out (base/statistics.h, compare_pairs);
//                       `stat -- A -- B`, the times of `diff --repeat` and `record --overhead`
//     change_of_runs    runs not made in turns, such as those of two sweeps: the spread between the
//                       runs of each side decides (compare_runs)
//
// Neither lets one disturbed run of five decide: both leave out the smallest and the largest fifth.
#pragma once

#include <span>

#include "base/statistics.h"

namespace wick {

// Without an interval if there is one pair, or one run on each side, and for a count that did not
// change: whatever percentage of nearly nothing would be printed, no run shows it.
struct RunChange {
  // Means of the runs that the change is from (those between the trimmed ends), so that `value` is
  // after / before - 1; geometric if logarithms are compared.
  double before = 0;
  double after = 0;
  double value = 0;  // not a number if only `before` is zero
  double low = kNoNumber;
  double high = kNoNumber;
  double probability = 1;
};

// Both sides have the same number of runs, at least one, and run i of both is a pair. `counts`: a
// few runs of a count may have no spread by luck, so if chance plays a part, the count is assumed
// to vary by at least one.
RunChange change_of_pairs(std::span<const double> before,
                          std::span<const double> after,
                          bool counts);
// Both sides have at least one run.
RunChange change_of_runs(std::span<const double> before,
                         std::span<const double> after,
                         bool counts);

}  // namespace wick

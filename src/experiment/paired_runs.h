// SPDX-License-Identifier: Apache-2.0
// Compares two ways to run the same program, measured in turns: pairs of numbers become one
// sentence or figure. The change is change_of_pairs() of run_change.h.
#pragma once

#include <span>
#include <string>

#include "experiment/run_change.h"

namespace wick {

struct Pair {
  double before = 0;
  double after = 0;
};

struct Comparison {
  RunChange change;

  // Whether the numbers are also consistent with no difference.
  bool is_within_noise() const { return !(change.low > 0 || change.high < 0); }
};

// Ignores pairs with a number of zero or less. Without other pairs, all figures are zero.
Comparison compare_times(std::span<const Pair> pairs);

// The comparison as a sentence for people; it says what each number is.
std::string time_text(std::span<const Pair> pairs);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Two ways to run the same thing, measured in turns: pairs of numbers to one sentence or figure.
// The change is that of run_change.h's change_of_pairs.
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
  double before = 0;  // medians
  double after = 0;
  RunChange change;

  // Whether no difference at all would explain the numbers as well.
  bool is_within_noise() const { return !(change.low > 0 || change.high < 0); }
};

// Pairs with a number of zero or less do not count. Without any other, all figures are zero.
Comparison compare_times(std::span<const Pair> pairs);

// The same for people, of seconds; says what each number is.
std::string time_text(std::span<const Pair> pairs);

}  // namespace wick

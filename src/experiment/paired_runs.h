// Two ways to run the same thing, compared: pairs of measurements, taken in turns on a machine that
// is never quiet. Each pair gives one ratio; what is told is their geometric mean and the interval
// that holds the true ratio 95 times in 100 (Student's, on logarithms, since ratios multiply).
#pragma once

#include <span>
#include <string>

namespace wick {

struct Pair {
  double before = 0;  // both above zero
  double after = 0;
};

struct Comparison {
  double before = 0;  // medians
  double after = 0;
  double ratio = 1;  // after over before
  double low = 0;    // of the ratio; 0 and infinity for a single pair
  double high = 0;

  // Whether no difference at all would explain the figures as well.
  bool is_within_noise() const { return low <= 1 && high >= 1; }
};

// Of one pair or more; pairs with a zero do not count. The ratio is 1 when none is left.
Comparison compare_pairs(std::span<const Pair> pairs);

// The same for people, of seconds; says what each number is.
std::string time_text(std::span<const Pair> pairs);

}  // namespace wick

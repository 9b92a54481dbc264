// How sure a share is. A sampled profile is a poll: a share of n samples comes with a 95 %
// interval.
//
// Wilson's score interval for a proportion is used: unlike the textbook "p +- 1.96 sqrt(p(1-p)/n)"
// it never leaves 0..1, is not empty at 0 samples, and keeps its promise for small shares, which is
// where most functions are. Samples are taken as independent; a profiler that marches in step with
// the program breaks that.
#pragma once

namespace wick {

struct Interval {
  double low = 0;
  double high = 1;
};

// `samples` may be fractional: the effective number of equally weighted samples (StackCosts).
Interval share_interval(double share, double samples);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Runs both forms one after the other, each in its own process, for several rounds: how much faster
// are the coroutines?
//
// On a busy machine single runs are slowed, and unevenly: two threads get a bigger share of a
// contended CPU than one. So iterations are counted per second of CPU time, which is the cost in
// question anyway, and the result is the median of the rounds' ratios.
#pragma once

#include <vector>

#include "measurement.h"
#include "settings.h"

namespace echo {

struct Round {
  Summary threads;
  Summary coroutines;

  double ratio() const { return coroutines.per_cpu_second() / threads.per_cpu_second(); }
  double wall_ratio() const { return coroutines.per_second() / threads.per_second(); }
};

// The completed rounds; fewer than requested if a signal came.
Problem compare(const Settings& settings, int rounds, std::vector<Round>& done);

// `values` must not be empty.
double median(std::vector<double> values);

}  // namespace echo

// SPDX-License-Identifier: Apache-2.0
// Finds the steady part of a recording, without start-up and shutdown, which run other code.
//
//     1. Split the recording into windows of equal length.
//     2. The middle half defines steady work: the share of each function's self time.
//     3. The distance of a window is half the sum of absolute differences of shares (total
//        variation, 0 to 1). The middle windows show how much distances vary by chance.
//     4. At both ends, remove windows whose distance is clearly larger: above the median of the
//        middle windows by three robust standard deviations (1.4826 times the median absolute
//        deviation) plus 0.05.
//
// The method does not notice a phase that fills most of the recording, or one shorter than a
// window.
#pragma once

#include <vector>

#include "base/result.h"
#include "profile/profile.h"

namespace wick {

struct SteadyRange {
  int64_t begin_ns = 0;   // first moment of the steady part
  int64_t end_ns = 0;     // last moment of the steady part
  bool at_limit = false;  // a quarter is cut at one end, so that phase may be longer
};

// Uses the samples marked in `keep`. An error if the profile has no times or too few samples.
Result<SteadyRange> find_steady(const Profile& profile, const std::vector<bool>& keep);

}  // namespace wick

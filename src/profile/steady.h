// SPDX-License-Identifier: Apache-2.0
// Finds the steady part of a recording, without start-up and shutdown, which run other code.
//
// The recording is cut into windows of equal length. The middle half defines steady work (the share
// of each function's own time) and how much its windows differ from that by chance. At both ends,
// windows that differ clearly more are cut off. The distance is half the sum of absolute
// differences of shares (total variation, 0 to 1). "Clearly more" means above the median of the
// middle windows by three of their robust standard deviations (1.4826 times the median absolute
// deviation) plus 0.05.
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
  bool at_limit = false;  // a quarter was cut at one end: that phase may reach further
};

// Uses the samples marked in `keep`. An error if the profile has no times or too few samples.
Result<SteadyRange> find_steady(const Profile& profile, const std::vector<bool>& keep);

}  // namespace wick

// Finds the steady part of a recording: without the start-up and shutdown that run other code.
//
// The recording is cut into windows of equal length. The middle half says what steady work looks
// like (the share of each function's own time) and how much windows of it differ from that by
// chance; from both ends, windows that differ clearly more are cut. Distance is half the sum of
// absolute differences of shares (total variation, 0 to 1); "clearly more" is above the median of
// the middle windows by three of their robust standard deviations (1.4826 times the median absolute
// deviation) plus 0.05.
//
// The method is blind to a phase that fills most of the recording and to one shorter than a window.
#pragma once

#include <vector>

#include "base/result.h"
#include "profile/profile.h"

namespace wick {

struct SteadyRange {
  int64_t begin_ns = 0;   // first moment kept
  int64_t end_ns = 0;     // last moment kept
  bool at_limit = false;  // a quarter was cut at one end: that phase may reach further
};

// Of the samples that `keep` marks. An Error when the profile has no times or too few samples to
// tell.
Result<SteadyRange> find_steady(const Profile& profile, const std::vector<bool>& keep);

}  // namespace wick

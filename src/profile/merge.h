// SPDX-License-Identifier: Apache-2.0
// Joins several profiles into one.
//
// Equal records become one record, and the samples of all profiles follow each other. Group numbers
// continue from profile to profile. With kAlign, wick converts times of other machines to the clock
// of the first machine by their wall-clock times. Nothing is lost: the weights of the result are
// the sum.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "profile/profile.h"

namespace wick {

enum class MergeClocks : uint8_t {
  kAlign,
  kAsRecorded,  // for comparisons: the times of each run count from its own start
};

// Consumes the profiles. An error if their weights do not fit together.
Result<Profile> merge(std::vector<Profile> profiles, MergeClocks clocks = MergeClocks::kAlign);

}  // namespace wick

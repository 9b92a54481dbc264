// SPDX-License-Identifier: Apache-2.0
// Joins several profiles into one: equal records become one record, and the samples follow each
// other. Times of other machines are converted to the clock of the first machine, using the
// wall-clock time of each.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "profile/profile.h"

namespace wick {

enum class MergeClocks : uint8_t {
  kAlign,
  kAsRecorded,  // for runs that are compared: the times of each run count from its own start
};

// Consumes the profiles. An error if their weights do not fit together.
Result<Profile> merge(std::vector<Profile> profiles, MergeClocks clocks = MergeClocks::kAlign);

}  // namespace wick

// Several profiles as one: equal records become one record, samples follow each other. Times of
// other machines become those of the first machine's clock, by the wall-clock time of each.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "profile/profile.h"

namespace wick {

enum class MergeClocks : uint8_t {
  kAlign,
  kAsRecorded,  // for runs that are compared: the times of each count from its own start
};

// Consumes the profiles. An Error when their weights do not fit together.
Result<Profile> merge(std::vector<Profile> profiles, MergeClocks clocks = MergeClocks::kAlign);

}  // namespace wick

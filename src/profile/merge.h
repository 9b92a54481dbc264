// Several profiles as one: equal records become one record, samples follow each other. Times of
// other machines become those of the first machine's clock, by the wall-clock time of each.
#pragma once

#include <vector>

#include "base/result.h"
#include "profile/profile.h"

namespace wick {

// Consumes the profiles. An Error when their weights do not fit together.
Result<Profile> merge(std::vector<Profile> profiles);

}  // namespace wick

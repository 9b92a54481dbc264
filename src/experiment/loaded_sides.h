// SPDX-License-Identifier: Apache-2.0
// Files to the sides of a comparison: several runs a side, or the two sides of one differential
// file.
#pragma once

#include <string>
#include <vector>

#include "acquire/acquire.h"
#include "base/result.h"
#include "experiment/recorded_sides.h"
#include "profile/filter.h"

namespace wick {

// The files of each side, filtered; each file is a run, unless they are of different CPUs and one
// run together. One file alone may hold both sides. An Error names the side that a filter empties.
Result<RecordedSides> load_sides(const std::vector<std::vector<std::string>>& sides,
                                 const acquire::Options& options,
                                 Filter filter);

}  // namespace wick

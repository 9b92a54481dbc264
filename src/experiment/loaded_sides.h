// SPDX-License-Identifier: Apache-2.0
// Reads files as the sides of a comparison: several runs per side, or the two sides of one
// differential file.
#pragma once

#include <string>
#include <vector>

#include "acquire/acquire.h"
#include "base/result.h"
#include "experiment/recorded_sides.h"
#include "profile/filter.h"

namespace wick {

// The files of each side, filtered. Each file is a run, unless the files are of different CPUs and
// so are one run together. A single file may contain both sides. If a filter removes everything
// from a side, the Error names that side.
Result<RecordedSides> load_sides(const std::vector<std::vector<std::string>>& sides,
                                 const acquire::Options& options,
                                 Filter filter);

}  // namespace wick

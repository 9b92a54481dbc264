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

// One side, filtered. Each file is a run, unless neighbours are of different CPUs and so are one run
// together. If the filter removes everything, the Error names the side.
struct LoadedSide {
  Side side;
  std::vector<std::string> notes;  // each once
  UnmatchedPatterns unmatched;
  double lost_share = 0;  // of the run that lost most
};
Result<LoadedSide> load_side(const std::vector<std::string>& files,
                             const acquire::Options& options,
                             const Filter& filter);

// The sides of a comparison, with one event. A single file may contain both sides.
Result<RecordedSides> load_sides(const std::vector<std::vector<std::string>>& sides,
                                 const acquire::Options& options,
                                 Filter filter);

}  // namespace wick

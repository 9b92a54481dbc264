// SPDX-License-Identifier: Apache-2.0
// The runs of a page that compares: from a profile that contains a before and an after, or from the
// sides of a comparison (analyze/analyses.h).
#pragma once

#include <string>
#include <vector>

#include "analyze/analyses.h"
#include "base/result.h"
#include "viewer/page_data.h"

namespace wick {

// Both sides of a pair as runs with the same event, so that the page can compare them.
Result<std::vector<PageRun>> before_and_after(const Profile& pair, const std::string& title);

// A side with one run, or with several, which the page also shows added up. A note says which share
// of the side the filter retained. An Error if a run contains a before and an after itself.
Result<PageRun> run_of_side(Side side, std::vector<std::string> notes);

// Names generated code and temporary files equally in all runs (profile/common_names.h). Read the
// code before: this changes paths.
void use_common_names(PageRun& run);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// The reports that travel in a page: what the page cannot compute from its columns.
//
//     two runs   the judgements of `wick diff` (page_comparison.h)
//     one run    the pauses of the recording, as tracks with gaps
#pragma once

#include <vector>

#include "viewer/page_data.h"
#include "viewer/page_reports.h"

namespace wick {

std::vector<PageReport> reports_for_page(const std::vector<PageRun>& runs);

}  // namespace wick

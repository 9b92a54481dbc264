// SPDX-License-Identifier: Apache-2.0
// What a picture must say about itself: what was lost before it was drawn and what it leaves out.
//
// Loss is always in the picture, unasked: a flame graph travels without the terminal that it came
// from.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"
#include "views/svg/layout.h"
#include "views/svg/options.h"

namespace wick {

// Unescaped sentences, one a line: loss, the report's notes, then what `layout` left out.
std::vector<std::string> picture_notes(const Report& report,
                                       const Layout& layout,
                                       const SvgOptions& options);
std::vector<std::string> loss_notes(const Report& report);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// The sentences that a picture shows about itself: the loss of the profile, the report's notes, and
// the frames that the picture leaves out.
//
// A picture always shows its loss, because users copy flame graphs without the terminal's messages.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"
#include "views/svg/layout.h"
#include "views/svg/options.h"

namespace wick {

// Unescaped sentences, one for each line: cautions, loss and the report's notes.
std::vector<std::string> loss_notes(const Report& report);
// About the frames that `layout` left out.
std::vector<std::string> layout_notes(const Report& report,
                                      const Layout& layout,
                                      const SvgOptions& options);

}  // namespace wick

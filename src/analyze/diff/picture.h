// SPDX-License-Identifier: Apache-2.0
// The differential flame graph: the call paths of two sides together, so that new and vanished
// paths are both drawn.
//
// Columns: name, module, total and self (the width), before and after (totals), delta (self, after
// minus before: the colour). Siblings are sorted by name. The width is the mean of both sides,
// exactly (before + after) / 2, or the width of one side. In that case only the paths of that side
// are drawn.
#pragma once

#include "analyze/diff/diff.h"
#include "report/report.h"

namespace wick {

// The first two sides. Shares are in percent, costs in the unit of the profiles.
Section difference_picture(std::span<const Side> sides,
                           const DiffOptions& options,
                           const AlignOptions& uniting);

}  // namespace wick

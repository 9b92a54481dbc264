// The differential flame graph: the call paths of two sides together, so that what vanished and
// what is new is drawn, too.
//
// Columns: name, module, total and self (the width), before and after (with what they call), delta
// (own cost, after minus before: the colour). Siblings stand by name. The width is the mean of both
// sides, exactly (before + after) / 2, or that of one of them: only what a side has is then drawn.
#pragma once

#include "analyze/diff/diff.h"
#include "report/report.h"

namespace wick {

// The first two sides. Shares are in percent, costs in the unit of the profiles.
Section difference_picture(std::span<const Side> sides,
                           const DiffOptions& options,
                           const UniteOptions& uniting);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// The functions that match the user's text besides the one that is shown.
#pragma once

#include <span>

#include "analyze/annotate/heat.h"
#include "analyze/summary.h"

namespace wick {

inline constexpr size_t kMatchesListed = 20;

Table matches_table(const Measure& measure, std::span<const HotFunction> functions);

}  // namespace wick

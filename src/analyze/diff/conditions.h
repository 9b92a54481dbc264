// SPDX-License-Identifier: Apache-2.0
// Conditions on a comparison, for scripts that check for regressions:
//
//     total(regex) > +2%      the stacks with a matching frame cost more than 2 % more than before
//     self(regex) > +0.5pp    matching functions themselves take half a point more of the time
//     total < -10%            everything together: faster by more than a tenth
//
// A percentage is relative to before. "pp" are percentage points of the whole, for shares only. A
// pattern matches as in filters: function name, source file or module.
//
// A condition holds if the change exceeds the limit, and if there is evidence for a change, at 95 %
// for each condition separately. Several conditions need no correction: the user chose them before
// seeing the numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyze/diff/judge.h"
#include "base/pattern.h"
#include "base/result.h"
#include "report/report.h"

namespace wick {

struct Condition {
  std::string text;
  Measured measure = Measured::kTotal;
  std::optional<Pattern> pattern;  // none: the whole program
  bool above = true;               // ">"
  double limit = 0;                // as a fraction: 0.02
  bool in_points = false;
};
Result<Condition> parse_condition(std::string_view text);

// One row for each condition and each side but the first. The text column `outcome` is "holds",
// "does not hold" or "unknown" (the change exceeds the limit, or does not, without evidence).
// `exact`: any difference is evidence (file sizes). An error if a pattern matches nothing on any
// side, because such a condition could never hold.
Result<Table> condition_table(std::span<const Side> sides,
                              const AlignedRuns& aligned,
                              const Measuring& measuring,
                              const std::vector<Condition>& conditions,
                              bool exact);

inline constexpr std::string_view kConditionHolds = "holds";

}  // namespace wick

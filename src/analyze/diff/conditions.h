// Conditions on a comparison, for programs that watch for regressions:
//
//     total(regex) > +2%      the stacks with a matching frame cost more than 2 % more than before
//     self(regex) > +0.5pp    matching functions themselves take half a point more of the time
//     total < -10%            everything together: faster by more than a tenth
//
// A percentage is relative to before, "pp" (points) are of the whole and for shares only. A pattern
// matches as filters match: function name, source file or module.
//
// A condition holds when the change is beyond the limit and there is evidence for a change at all,
// at 95 % for each condition by itself: whoever writes it down has chosen one thing to watch before
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
  std::optional<Pattern> pattern;  // none: everything
  bool above = true;               // ">"
  double limit = 0;                // a fraction: 0.02
  bool in_points = false;
};
Result<Condition> parse_condition(std::string_view text);

// One row for each condition and side but the first; the text column `outcome` is "holds", "does
// not hold" or "unknown" (the change is beyond the limit, or not, without evidence either way).
// `exact`: any difference is evidence (sizes of a file).
// An Error when a pattern matches nothing on any side: such a watch would never bark.
Result<Table> condition_table(std::span<const Side> sides,
                              const United& united,
                              const Measuring& measuring,
                              const std::vector<Condition>& conditions,
                              bool exact);

inline constexpr std::string_view kConditionHolds = "holds";

}  // namespace wick

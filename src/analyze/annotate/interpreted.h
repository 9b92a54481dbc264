// SPDX-License-Identifier: Apache-2.0
// Annotates a function that an interpreter ran. It has no instructions: the lines come from the
// interpreter's frames. The report has the sections lines, function and matches of annotate.h.
#pragma once

#include "analyze/annotate/target.h"
#include "profile/code.h"
#include "profile/stack_costs.h"
#include "report/report.h"

namespace wick {

Report interpreted_report(const Profile& profile,
                          const StackCosts& costs,
                          const CodeHeat& heat,
                          const Target& target,
                          CodeSource& source,
                          bool with_source);

}  // namespace wick

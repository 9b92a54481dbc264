// SPDX-License-Identifier: Apache-2.0
// From a report to where it is shown: the view, the output, and the exit status for what was lost.
#pragma once

#include <string_view>
#include <vector>

#include "base/flags.h"
#include "base/result.h"
#include "report/report.h"

namespace wick {

// -o, --json, --csv and the flags of the view a verb shows by default.
std::vector<Flag> output_flags(std::string_view default_view);

// --allow-loss alone, for verbs that write no report.
std::vector<Flag> loss_flags();

struct Showing {
  std::string_view default_view;
  std::string_view page_view = "";  // for -o NAME.html
  double lost_share = 0;
  bool to_stderr = false;  // instead of standard output, which a program owns that was run
};
// Writes the report as the flags ask; the result is the exit status.
Result<int> show(const Report& report, FlagValues flags, const Showing& showing);

// On stderr, for what does not carry them itself.
void print_loss_and_notes(const std::vector<LossLine>& losses,
                          const std::vector<std::string>& notes);

// kDone, or kTooMuchLost with a sentence on stderr.
int status_for_loss(double lost_share, const FlagValues& flags);

}  // namespace wick

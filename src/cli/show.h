// SPDX-License-Identifier: Apache-2.0
// Writes a report: chooses the view and the output, and returns the exit status.
//
//     --json, --csv       that view
//     -o NAME.html        the page, if the verb has one
//     none of them        the verb's default view
//
// The status is kTooMuchLost if the profile lost more than --allow-loss, or if a caution says that
// names or numbers are probably wrong; the report is complete then.
#pragma once

#include <string_view>
#include <vector>

#include "base/flags.h"
#include "base/result.h"
#include "report/report.h"

namespace wick {

// -o, --json, --csv and the flags of the verb's default view.
std::vector<Flag> output_flags(std::string_view default_view);

// Only --allow-loss, for verbs that write no report.
std::vector<Flag> loss_flags();

struct Showing {
  std::string_view default_view;
  std::string_view page_view = "";  // for -o NAME.html
  bool draws = false;               // the verb itself writes -o NAME.svg
  double lost_share = 0;
  bool to_stderr = false;  // a program uses standard output
};
// Writes the report as the flags say, and returns the exit status.
Result<int> show(Report report, FlagValues flags, const Showing& showing);

// Fails where show() would: for verbs that run programs first, whose results would be lost.
Result<> check_output(const FlagValues& flags, const Showing& showing);

// Prints sentences about the command line to stderr.
void print_warnings(const std::vector<std::string>& warnings);

// Prints both to stderr, for outputs that cannot contain them.
void print_cautions(const std::vector<std::string>& cautions);
void print_loss_and_notes(const std::vector<LossLine>& losses,
                          const std::vector<std::string>& notes);

// Returns kDone, or prints a sentence to stderr and returns kTooMuchLost. `is_alarmed`: the user has
// been shown that names or numbers are probably wrong.
int status_for_loss(double lost_share, bool is_alarmed, const FlagValues& flags);

}  // namespace wick

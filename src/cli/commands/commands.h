// SPDX-License-Identifier: Apache-2.0
// Each verb that is not an analysis has one function that makes its row (cli/command.h).
// cli/commands.cc calls all of them, so a verb exists only if it is declared in this file.
#pragma once

#include "cli/command.h"

namespace wick {

struct Analysis;

Command analysis_command(const Analysis& analysis);
// For analyses that compare.
Command comparison_command(const Analysis& analysis);
Command completion_command();
Command convert_command();
Command query_command();
Command doctor_command();
Command formats_command();
Command help_command();
Command info_command();
Command mcp_command();
Command size_command();
Command sweep_command();
Command record_command();
Command run_command();
Command stat_command();
Command symbolize_command();
Command view_command();

// Appends the flags of `more` that `flags` does not contain yet.
void append_flags(std::vector<Flag>& flags, std::span<const Flag> more);

}  // namespace wick

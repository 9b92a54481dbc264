// SPDX-License-Identifier: Apache-2.0
// One maker for each verb that is not an analysis; cli/commands.cc strings them together.
#pragma once

#include "cli/command.h"

namespace wick {

struct Analysis;

Command analysis_command(const Analysis& analysis);
// For analyses that compare.
Command comparison_command(const Analysis& analysis);
Command completion_command();
Command convert_command();
Command doctor_command();
Command formats_command();
Command help_command();
Command info_command();
Command size_command();
Command sweep_command();
Command record_command();
Command run_command();
Command stat_command();
Command symbolize_command();
Command view_command();

// Appends `more`, leaving out flags that are there already.
void append_flags(std::vector<Flag>& flags, std::span<const Flag> more);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// The flags of `wick diff` that record the sides, and the request that they make:
//
//     --repeat N -- A -- B            two commands in turns
//     --git BEFORE..AFTER -- CMD      one command at two commits, each in its own worktree
//
// A flag that would have no effect is an Error: flags of recording for files, and flags of input
// for programs.
#pragma once

#include <span>

#include "analyze/analyses.h"
#include "base/result.h"
#include "cli/command.h"
#include "experiment/recorded_sides.h"

namespace wick {

std::span<const Flag> recorded_sides_flags();
bool records_sides(const FlagValues& flags);
// A usage Error if the flags contain one of recording, but the sides are files.
Result<> check_flags_for_files(const FlagValues& flags);

// Records the sides. Prints a line on stderr for each pair.
Result<RecordedSides> record_sides(const Invocation& call, const Analysis& analysis);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// The flags of `wick diff` that record its sides (--repeat, --git), and what they ask for.
#pragma once

#include <span>

#include "analyze/analyses.h"
#include "base/result.h"
#include "cli/command.h"
#include "experiment/recorded_sides.h"

namespace wick {

std::span<const Flag> recorded_sides_flags();
bool records_sides(const FlagValues& flags);
// An Error (usage) for flags that would do nothing: those of recording where files are read.
Result<> check_flags_for_files(const FlagValues& flags);

// Records as the flags ask, with a line on stderr for each pair.
Result<RecordedSides> record_sides(const Invocation& call, const Analysis& analysis);

}  // namespace wick

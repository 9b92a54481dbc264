// wick diff --repeat and --git: two commands, or one command at two commits, recorded in turns.
//
// Turns (A B, B A, A B ...) keep what drifts (heat, other load) from looking like a difference; the
// first run of each only warms up. The programs' output is discarded. Whatever happens, also on
// Ctrl+C, directories and worktrees made here are removed.
#pragma once

#include <vector>

#include "analyze/analyses.h"
#include "base/result.h"
#include "cli/command.h"

namespace wick {

std::span<const Flag> recorded_sides_flags();
bool records_sides(const FlagValues& flags);

struct RecordedSides {
  std::vector<Side> sides;
  std::vector<std::string> notes;  // time of a run, before and after
};
Result<RecordedSides> record_sides(const Invocation& call, const Analysis& analysis);

}  // namespace wick

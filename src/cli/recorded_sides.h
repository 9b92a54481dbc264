// wick diff --repeat and --git: two commands, or one command at two commits, recorded in turns.
//
// Turns (A B, B A, A B ...) keep what drifts (heat, other load) from looking like a difference; the
// first run of each only warms up. The programs' output is discarded. Filters apply to each run.
// Whatever happens, also on Ctrl+C, directories and worktrees made here are removed, and no
// recording is kept that is not whole.
#pragma once

#include <algorithm>
#include <vector>

#include "analyze/analyses.h"
#include "base/result.h"
#include "cli/command.h"

namespace wick {

std::span<const Flag> recorded_sides_flags();
bool records_sides(const FlagValues& flags);
// An Error (usage) for flags that would do nothing: those of recording where files are read.
Result<> check_flags_for_files(const FlagValues& flags);

// How much the filters kept, over the runs of a comparison.
struct KeptRange {
  double least = 1;
  double most = 0;
  void take(double share) {
    least = std::min(least, share);
    most = std::max(most, share);
  }
};

struct RecordedSides {
  std::vector<Side> sides;
  std::vector<std::string> notes;  // time of a run, before and after; what the filters did
  KeptRange kept;
  double lost_share = 0;  // of the run that lost most
  int stopped_by = 0;     // a signal: then there is nothing to compare
};
Result<RecordedSides> record_sides(const Invocation& call, const Analysis& analysis);

}  // namespace wick

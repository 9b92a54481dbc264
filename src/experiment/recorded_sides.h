// SPDX-License-Identifier: Apache-2.0
// Two commands, or one command at two commits, recorded in turns (turns.h): the sides of a
// comparison.
//
// The programs' output is discarded. Filters apply to each run. Whatever happens, also on a signal,
// directories and worktrees made here are removed, and no recording remains that is not complete.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analyze/analyses.h"
#include "base/result.h"
#include "profile/filter.h"

namespace wick {

// One command at two commits of the current git repository, each built in a worktree of its own.
struct TwoCommits {
  std::string before;
  std::string after;
  std::string build;  // a line of sh that is run in each worktree; empty for none
};

struct SidesRequest {
  std::vector<std::vector<std::string>> commands;  // before and after; one where there are commits
  std::optional<TwoCommits> commits = {};
  uint64_t runs = 5;
  std::string frequency = "997";  // as capture::parse_frequency takes it
  std::string event = {};         // as record::parse_events takes it; empty for the usual one
  Filter filter = {};
  std::string directory = {};  // where complete recordings remain; empty: nowhere
};

struct SidesCalls {
  std::function<void(const std::string& sentence)> print;
  // After the first pair, with what the first side has recorded.
  std::function<void(const Side& first)> on_first_pair;
};

// How much the filters left, over the runs of a comparison.
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
Result<RecordedSides> record_sides(SidesRequest request, const SidesCalls& calls);

// How many runs detect a change of `--detect` percent, from what the first run of a side says;
// empty when it says nothing. `analysis` compares, with its flags.
std::string required_runs_text(const Analysis& analysis,
                               const Side& first,
                               const FlagValues& flags,
                               uint64_t planned);

}  // namespace wick

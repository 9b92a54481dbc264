// SPDX-License-Identifier: Apache-2.0
// Records two commands, or one command at two commits, in turns (turns.h): the sides of a
// comparison.
//
// A run whose CPU time is far from that of the others of its side is named, and left out of the
// rows: one such run in five would decide their means.
//
// The output of the programs is discarded. Filters apply to each run. In every case, also after a
// signal, wick removes the directories and worktrees that it made, and leaves no incomplete
// recording.
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

// One command at two commits of the current git repository, each built in its own worktree.
struct TwoCommits {
  std::string before;
  std::string after;
  std::string build;  // a shell command to run in each worktree; empty for none
};

struct SidesRequest {
  std::vector<std::vector<std::string>> commands;  // before and after; a single one if there are
                                                   // commits
  std::optional<TwoCommits> commits = {};
  uint64_t runs = 5;
  uint64_t reruns = 0;            // at most, of pairs with a run that was disturbed
  std::string frequency = "997";  // in the syntax of capture::parse_frequency
  std::string event = {};         // in the syntax of record::parse_events; empty for the usual one
  Filter filter = {};
  std::string directory = {};  // for the complete recordings; empty: they are deleted
};

struct SidesCalls {
  std::function<void(const std::string& sentence)> print;
  // Called after the first pair, with the recording of the first side.
  std::function<void(const Side& first)> on_first_pair;
};

// The share that the filters retained: its range over the runs of a comparison.
struct RetainedRange {
  double least = 1;
  double most = 0;
  void take(double share) {
    least = std::min(least, share);
    most = std::max(most, share);
  }
};

// Sentences about patterns that match nothing, and symbols that name nothing, in any run of a
// comparison.
class UnmatchedPatterns {
 public:
  void take(const std::vector<std::string>& of_run) {
    if (is_first_) {
      sentences_ = of_run;
    }
    is_first_ = false;
    std::erase_if(sentences_, [&](const std::string& sentence) {
      return std::ranges::find(of_run, sentence) == of_run.end();
    });
  }
  const std::vector<std::string>& sentences() const { return sentences_; }

 private:
  bool is_first_ = true;
  std::vector<std::string> sentences_;
};

struct RecordedSides {
  std::vector<Side> sides;
  std::vector<std::string> notes;  // the times of the runs before and after; the effects of filters
  RetainedRange retained;
  UnmatchedPatterns unmatched;
  double lost_share = 0;  // of the run that lost most
  int stopped_by = 0;     // a signal: then there is nothing to compare
};
Result<RecordedSides> record_sides(SidesRequest request, const SidesCalls& calls);

// How many runs are needed to detect a change of `--detect` percent, estimated from the first run
// of a side; empty if no estimate is possible. `analysis` makes the comparison, with its flags.
std::string required_runs_text(const Analysis& analysis,
                               const Side& first,
                               const FlagValues& flags,
                               uint64_t planned);

}  // namespace wick

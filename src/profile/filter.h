// SPDX-License-Identifier: Apache-2.0
// Filters select the part of a profile that a question is about. They use pprof's terms.
//
//     focus, ignore   retain, or drop, samples with a matching frame anywhere in their stack
//     hide, show      remove matching frames from all stacks, or remove all others
//     from            remove the callers of the first matching frame; drop samples without one
//     thread, process, cpu, time, event, mode, label   retain samples with these properties
//     stacks          which frames of interpreted programs the stacks show (shown_frames.h)
//
// A pattern matches a frame by its function name, source file or module. Conditions see the
// original stacks, and only their functions of a program if just these are shown; wick rewrites
// stacks afterwards. Unless keep_events says otherwise, the result
// has one event, so an analysis never adds seconds to page faults.
//
// Time, thread, CPU and label filters also cut the timeline (timeline_cut.h). The other filters
// apply to samples only: spans, marks and counters remain, but the stacks of spans change like
// those of samples. Totals that a file states beside its stacks (TotalCorrection) do not survive a
// filter of samples or frames. Losses remain, because they are about the whole recording. Rows that no sample
// refers to any more (stacks, label sets, branch sets) also remain, so ids do not change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/flags.h"
#include "base/pattern.h"
#include "base/result.h"
#include "profile/fold_executors.h"
#include "profile/label_match.h"
#include "profile/profile.h"
#include "profile/shown_frames.h"

namespace wick {

// A moment given by the user: a time since the first sample, a share of the whole recording, or the
// first mark whose name contains `mark`. A mark that is a number or a time (base/clock_text.h) is a
// value of the second clock: it selects the first mark with at least that value.
struct TimePoint {
  double value = 0;
  bool is_share = false;  // value is 0..1 of the recording; else seconds from its start
  std::string mark;       // empty for the two above
  bool is_absolute =
      false;  // value is seconds of the recording's clock, as perf script prints them
};

// Which events to retain if the user chose none.
enum class KeepEvents {
  kFirst,        // for an analysis, which adds up one event
  kFirstOrPair,  // the first, or both of a before/after pair
  kAll,          // for conversion
};

struct Filter {
  KeepEvents keep_events = KeepEvents::kFirst;
  ShownFrames usual_frames = ShownFrames::kMixed;  // if the user chose none
  std::optional<ShownFrames> frames;
  bool names_tasks = false;  // by the names of functions (polled_tasks.h)
  std::optional<Pattern> focus;
  std::optional<Pattern> ignore;
  std::optional<Pattern> hide;
  std::optional<Pattern> show;
  std::optional<Pattern> from;
  std::string thread;    // a tid or a pattern; empty for all
  std::string process;   // a pid or a pattern; empty for all
  std::string host;      // a pattern; empty for all
  std::string cpu_text;  // as the user wrote it
  std::string time_text;
  std::vector<uint16_t> cpus;      // empty for all
  std::optional<TimePoint> begin;  // of the time range
  std::optional<TimePoint> end;
  std::string event;                   // empty for the first
  std::string mode;                    // "user", "kernel" or empty
  std::vector<LabelCondition> labels;  // all of them must hold
  bool steady = false;
  std::optional<FoldRules> folds;  // replace frames of async runtimes
  std::string text = {};  // all of it, as flags that a shell can read; empty if there is none
};

// The fact that names the filters of a profile, so that pictures and files say what they lack.
inline constexpr std::string_view kFilterFact = "filter";

std::span<const Flag> filter_flags();
Result<Filter> parse_filter(const FlagValues& flags);

struct Filtered {
  Profile profile;
  std::vector<std::string> notes;           // sentences about removed samples, without amounts
  double retained = 1;                      // share of the event's weight that remains
  std::vector<std::string> unmatched = {};  // sentences about patterns that match no frame
};

// Consumes the profile. An error if no sample is left; it names the filter that matched nothing.
Result<Filtered> apply_filter(Profile profile, const Filter& filter);

// A sentence about the share that the filters retained: of one profile, or the smallest and the
// largest share of several. Empty if the filters removed nothing.
std::string retained_share_text(double least, double most);

}  // namespace wick

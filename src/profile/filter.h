// SPDX-License-Identifier: Apache-2.0
// Filters select the part of a profile that a question is about. They use pprof's terms.
//
//     focus, ignore   keep, or drop, samples with a matching frame anywhere in their stack
//     hide, show      take matching frames out of all stacks, or keep only them
//     from            cut each stack off above the first matching frame, drop samples without one
//     thread, process, cpu, time, event, mode, label   keep samples with these properties
//
// A pattern matches a frame by its function name, source file or module. Conditions see the
// original stacks; the stacks are rewritten afterwards. Unless keep_events says otherwise the
// result has one event, so that an analysis never adds seconds to page faults.
//
// Time, thread, CPU and label filters also cut the timeline (timeline_cut.h). The other filters
// apply to samples only: spans, marks and counters stay, but the stacks of spans are rewritten like
// those of samples. Losses stay, because they count what the whole recording lacks. Rows that no
// sample refers to any more (stacks, label sets, branch sets) also stay, so that ids do not change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/flags.h"
#include "base/pattern.h"
#include "base/result.h"
#include "profile/label_match.h"
#include "profile/profile.h"

namespace wick {

// A moment given by the user: a time since the first sample, a share of the whole recording, or the
// first mark whose name contains `mark`. A mark that is a number is a value of the second clock: it
// selects the first mark with at least that value.
struct TimePoint {
  double value = 0;
  bool is_share = false;  // value is 0..1 of the recording; else seconds from its start
  std::string mark;       // empty for the two above
};

// Which events stay when the user chose none.
enum class KeepEvents {
  kFirst,        // an analysis adds up one event
  kFirstOrPair,  // a before/after pair may stay together
  kAll,          // for conversion
};

struct Filter {
  KeepEvents keep_events = KeepEvents::kFirst;
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
};

std::span<const Flag> filter_flags();
Result<Filter> parse_filter(const FlagValues& flags);

struct Filtered {
  Profile profile;
  std::vector<std::string> notes;  // sentences about what was left out, without amounts
  double kept = 1;                 // share of the event's weight that remains
};

// Consumes the profile. An error if no sample is left; it names the filter that matched nothing.
Result<Filtered> apply_filter(Profile profile, const Filter& filter);

// A sentence about the share that the filters retained: of one profile, or from the smallest to the
// largest share of several. Empty when nothing was removed.
std::string kept_text(double least, double most);

}  // namespace wick

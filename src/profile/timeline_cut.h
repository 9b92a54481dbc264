// What filters of time, threads, CPUs and labels leave of a profile's timeline: spans, marks,
// series of counters with their points, and moments of loss.
//
// One rule for all of them: a row goes when it is known to lie outside, and stays when the profile
// does not say. A span or a moment of loss that overlaps the time range stays whole. A span whose
// parent goes becomes a part of its nearest ancestor that stays.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.h"
#include "profile/time_range.h"

namespace wick {

struct TimelineCut {
  TimeRange time = {INT64_MIN, INT64_MAX};  // first and last moment that stay
  std::vector<bool> threads;                // by thread: whether it stays; empty for all
  std::vector<bool> sources;                // by source: whether it stays; empty for all
  std::vector<uint16_t> cpus;               // that stay; empty for all
  std::vector<bool> labels;                 // by set of labels: whether it goes; empty for none
};

void cut_timeline(Profile& profile, const TimelineCut& cut);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Applies filters on time, threads, CPUs and labels to a profile's timeline: spans, marks, counter
// series with their points, and moments of loss.
//
// One rule applies to all of them: a row is removed only if it is certainly outside of the
// selection. A span or a moment of loss that overlaps the time range remains completely. If the
// parent of a span is removed, the nearest remaining ancestor becomes its parent.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.h"
#include "profile/time_range.h"

namespace wick {

struct TimelineCut {
  TimeRange time = {INT64_MIN, INT64_MAX};  // first and last retained moment
  std::vector<bool> threads;                // by thread: whether to retain it; empty: all
  std::vector<bool> sources;                // by source: whether to retain it; empty: all
  std::vector<uint16_t> cpus;               // CPUs to retain; empty: all
  std::vector<bool> labels;                 // by label set: whether to remove it; empty: none
};

void cut_timeline(Profile& profile, const TimelineCut& cut);

}  // namespace wick

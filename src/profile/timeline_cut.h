// SPDX-License-Identifier: Apache-2.0
// Applies filters on time, threads, CPUs and labels to a profile's timeline: spans, marks, counter
// series with their points, and moments of loss.
//
// One rule applies to all of them: a row is removed if it is known to be outside the selection, and
// stays if the profile does not say. A span or a moment of loss that overlaps the time range stays
// whole. If the parent of a span is removed, the span is attached to its nearest ancestor that
// stays.
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
  std::vector<uint16_t> cpus;               // the CPUs that stay; empty for all
  std::vector<bool> labels;                 // by label set: whether it is removed; empty for none
};

void cut_timeline(Profile& profile, const TimelineCut& cut);

}  // namespace wick

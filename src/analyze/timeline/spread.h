// SPDX-License-Identifier: Apache-2.0
// The time that each sample represents, for drawings over time: the same rules as in
// web/src/model/spread.ts. Change both together; web/test/spread.json holds them together.
//
// A sample of time represents a time as long as its weight. A timer takes it at the end of that
// time, a trace writes it at the begin: the direction in which the samples of a profile overlap
// less is taken. Timers are not exact, so a few overlap nevertheless: then the later one waits for
// the earlier one, seen in that direction. So a CPU is never busier than one CPU.
//
// A sample of another event represents the time since the one before it on its CPU or thread, at
// most four usual gaps; samples of one time represent the same. The first one has none before it
// and represents a usual gap.
//
// What a sample represents may be before the first sample of all, which drawings do not show. If it
// is all there, it is moved after that sample as far as there is room, so that a thread with one
// sample is seen.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.h"
#include "profile/time_range.h"

namespace wick {

struct SpreadRow {
  size_t row = 0;       // of the samples
  double begin_ns = 0;  // since the first sample; may be before it
  double end_ns = 0;
};

// The samples of the first sample's event that have a time, in the order of time.
std::vector<SpreadRow> spread_samples(const Profile& profile);

// The time that drawings show: from the first sample to the end of what the samples represent. The
// last sample of a trace is at the begin of its time. If no sample has a time: from the first to the
// last of the spans, marks and points of counters.
TimeRange shown_time(const Profile& profile, const std::vector<SpreadRow>& spread);

// Whether anything has a time: a sample, span, mark or point of a counter.
bool has_times_to_show(const Profile& profile);

}  // namespace wick

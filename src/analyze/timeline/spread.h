// SPDX-License-Identifier: Apache-2.0
// The time that each sample represents, for drawings over time: the same rules as in
// web/src/model/spread.ts. Change both together.
//
// A sample of time represents a time as long as its weight. A timer takes it at the end of that
// time, a trace writes it at the begin: the direction in which the samples of a profile overlap
// less is taken. Timers are not exact, so a few overlap nevertheless: then the later one waits for
// the earlier one, seen in that direction. So a CPU is never busier than one CPU.
//
// A sample of another event represents the time since the one before it on its CPU or thread, at
// most four usual gaps.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.h"

namespace wick {

struct SpreadRow {
  size_t row = 0;       // of the samples
  double begin_ns = 0;  // since the first sample; may be before it
  double end_ns = 0;
};

// The samples that have a time, in the order of time.
std::vector<SpreadRow> spread_samples(const Profile& profile);

}  // namespace wick

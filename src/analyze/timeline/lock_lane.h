// SPDX-License-Identifier: Apache-2.0
// Who holds the lock of an interpreter, over time: a lane with a span for each thread that has it.
//
// Samples know whether their thread has the lock (the label "gil"). So of each step of time, the
// thread with most of these samples is the holder: who has it for less than a step may be missing. A
// step without such samples has no span: the lock may be free, or its holder may wait.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "analyze/timeline/spread.h"
#include "profile/profile.h"
#include "report/tracks.h"

namespace wick {

// `rows`: of one process; `titles`: of its threads. Empty if no sample knows the lock.
SpanLane lock_lane(const Profile& profile,
                   std::span<const SpreadRow> rows,
                   const std::map<ThreadId, std::string>& titles,
                   int64_t length_ns,
                   size_t steps);

}  // namespace wick

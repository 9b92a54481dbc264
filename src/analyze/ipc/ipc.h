// SPDX-License-Identifier: Apache-2.0
// ipc: the ratio of two events over time and by part of the program; instructions per cycle, unless
// --ratio names others.
//
//     ipc        a row for each window of time: its begin and end, also in cycles, and the ratio
//     parts      by function, module, thread, process or CPU (--by), with intervals
//     around     the mean around moments (--around), with its 95 % band
//     tracks     the ratio, the rate of the lower event, and marks, on one axis
//
// A trace bounds the ratio of a window from both sides, because it does not say when exactly
// instructions retired. Readings of counters have one number for each window: all three lines are
// the same. What a reading counted is spread evenly over its time.
#pragma once

#include "analyze/analyses.h"

namespace wick {

std::span<const Flag> ipc_flags();
Result<Report> run_ipc(const Profile& profile, std::string_view argument, const FlagValues& flags);

}  // namespace wick

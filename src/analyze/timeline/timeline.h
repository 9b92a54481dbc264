// SPDX-License-Identifier: Apache-2.0
// What a profile has over time, as tracks: the CPUs that each thread uses, its spans with what woke
// it, counters, marks and lost data. A terminal shows a sketch of them, and -o FILE.svg a picture.
//
// Times count from the first sample, as --time does. Threads are the busiest first; those without a
// track of their own share one, so the tracks of threads add up to what was sampled.
#pragma once

#include "analyze/analyses.h"

namespace wick {

struct TimelineOptions {
  size_t points = 400;       // of each line
  size_t most_threads = 20;  // with tracks of their own; 0: all
};

Report timeline(const Profile& profile, const TimelineOptions& options);

std::span<const Flag> timeline_flags();
Result<Report> run_timeline(const Profile& profile,
                            std::string_view argument,
                            const FlagValues& flags);

}  // namespace wick

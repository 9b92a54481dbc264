// wick record --overhead: what recording costs the program. Runs it bare and recorded in turns, and
// compares its own time and CPU time.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "cli/recording.h"

namespace wick {

// The exit status: that of the first run that failed, or 0. Of the recorded runs the last one stays
// in the file.
Result<int> measure_overhead(RecordingPlan plan, uint64_t pairs);

}  // namespace wick

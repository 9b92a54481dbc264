// What `wick record` and `wick run` share: a plan (recording_plan.h) carried out by capture, with a
// status line and a summary for people.
#pragma once

#include "base/result.h"
#include "capture/capture.h"
#include "cli/recording_plan.h"

namespace wick {

// wick's own failure when a program was to be run; env and nice use the same number.
inline constexpr int kOwnFailure = 125;

Result<capture::Recording> record_to_file(const RecordingPlan& plan);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// What `wick record` and `wick run` share: a plan (recording_plan.h) carried out by capture, with a
// status line and a summary for people.
#pragma once

#include "base/result.h"
#include "capture/capture.h"
#include "cli/recording_plan.h"

namespace wick {

// wick's own failure when a program was to be run; env and nice use the same number.
inline constexpr int kOwnFailure = 125;

// For verbs that run a program: wick's own 1 would look like the program's status, so an Error of
// wick is printed here and becomes `failure`. Errors in flags remain Errors.
Result<int> own_status(Result<int> status, bool runs_program, int failure = kOwnFailure);

Result<capture::Recording> record_to_file(const RecordingPlan& plan);

}  // namespace wick

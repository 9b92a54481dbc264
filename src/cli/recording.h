// SPDX-License-Identifier: Apache-2.0
// The part that `wick record` and `wick run` share: capture carries out a plan (recording_plan.h),
// and the user sees a status line and a summary on stderr.
//
// The exit status is the program's own. A failure of wick has another status, so that scripts can
// distinguish the two.
#pragma once

#include "base/result.h"
#include "capture/capture.h"
#include "cli/recording_plan.h"

namespace wick {

// wick failed before or while it ran a program; env and nice use the same number.
inline constexpr int kOwnFailure = 125;

// For verbs that run a program. Status 1 of wick would look like the program's status, so this
// function prints an Error of wick and returns `failure`. Usage Errors remain Errors.
Result<int> own_status(Result<int> status, bool runs_program, int failure = kOwnFailure);

Result<capture::Recording> record_to_file(const RecordingPlan& plan);

}  // namespace wick

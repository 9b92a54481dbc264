// SPDX-License-Identifier: Apache-2.0
// Records one run of a sweep.
//
// The whole run, servers and clients, must be one process tree with one root. Then the recorder
// sees all of it on one clock, and nothing of wick's own work. So a fork of this process makes the
// run and executes no other program (record/launch.h). It returns its result as the line of JSON
// that a sweep stores for each run.
#pragma once

#include <string>

#include "capture/capture.h"
#include "experiment/sweep/point_run.h"
#include "profile/profile.h"

namespace wick {

struct RecordedOutcome {
  RunOutcome outcome;
  Profile profile;  // if the outcome is ok; also in the file
};

// Records a run of `point` into the file `profile`; `scratch` is a file for the line. A run that
// failed or was stopped leaves no files. An Error if recording is impossible.
Result<RecordedOutcome> record_point(const Plan& plan,
                                     const Point& point,
                                     const RunSetting& setting,
                                     const std::string& profile,
                                     const std::string& scratch,
                                     const capture::Calls& calls,
                                     record::HeldSignals& signals);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// A run of a sweep that is recorded.
//
// The whole run, servers and clients, must be one process tree with one root, so that the recorder
// sees all of it on one clock and nothing of wick's own work. So the run is made by a fork of this
// process, which executes nothing else (record/launch.h); its result comes back as the line of JSON
// that a sweep stores for each run.
#pragma once

#include <string>

#include "capture/capture.h"
#include "experiment/sweep/point_run.h"
#include "profile/profile.h"

namespace wick {

struct RecordedOutcome {
  RunOutcome outcome;
  Profile profile;  // when the outcome is ok; also in the file
};

// Records a run of `point` into the file `profile`; `scratch` is a file for the line. Nothing
// remains of a run that failed or was stopped. An Error when nothing can be recorded at all.
Result<RecordedOutcome> record_point(const Plan& plan,
                                     const Point& point,
                                     const RunSetting& setting,
                                     const std::string& profile,
                                     const std::string& scratch,
                                     const capture::Calls& calls,
                                     record::HeldSignals& signals);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Runs a sweep: every run of the plan that does not exist yet, in the plan's order, then the runs
// that are recorded. Each run is stored when it has ended.
//
// If a sweep is interrupted, the next call continues where this one stopped.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiment/plan/plan.h"
#include "experiment/plan/points.h"
#include "experiment/sweep/point_run.h"
#include "experiment/sweep/results.h"
#include "profile/profile.h"

namespace wick {

struct SweepProgress {
  size_t done = 0;  // runs, including those of earlier calls
  size_t total = 0;
  size_t failed = 0;
  std::string what;                    // "timing run 2 of point 3, threads=4"
  std::optional<double> seconds_left;  // nothing while unknown
};

struct SweepCalls {
  std::function<void(const SweepProgress& progress)> progress;  // several times a second
  std::function<void(const std::string& sentence)> print;       // a message for users
  // Called after a run was recorded into the file `path`; an Error ends the sweep.
  std::function<Result<>(const Profile& profile, const std::string& path)> recorded;
};

struct SweepEnd {
  size_t made = 0;     // runs of this call
  int stopped_by = 0;  // a signal
};

// `retry`: repeats runs that failed before. An Error ends the sweep; the stored runs remain.
Result<SweepEnd> run_sweep(const Plan& plan, RunLog& log, bool retry, const SweepCalls& calls);

// The runs that are left, in order, without the recorded ones.
std::vector<PlannedRun> runs_to_make(const Plan& plan,
                                     const std::vector<Point>& points,
                                     const std::vector<RunRecord>& made,
                                     bool retry);
// The points that get a separate recorded run, given the runs so far.
std::vector<size_t> points_to_record(const Plan& plan,
                                     const std::vector<Point>& points,
                                     const std::vector<RunRecord>& runs);
// The recorded runs that are left: of the worst point, as far as it is known by now.
std::vector<PlannedRun> recordings_to_make(const Plan& plan,
                                           const std::vector<Point>& points,
                                           const std::vector<RunRecord>& made,
                                           bool retry);
// The time that these runs take, from earlier runs (or the plan's estimate).
std::optional<double> estimate_seconds(const Plan& plan,
                                       const std::vector<Point>& points,
                                       const std::vector<RunRecord>& made,
                                       const std::vector<PlannedRun>& left);

// Whether any run, recorded or not, is left.
bool is_anything_left(const Plan& plan, const RunLog& log, bool retry);

}  // namespace wick

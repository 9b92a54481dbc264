// SPDX-License-Identifier: Apache-2.0
// A sweep carried out: every run of the plan that has not been made yet, in the plan's order, each
// stored when it has ended; then the runs that are recorded.
//
// Interrupted at any run, the next call continues where this one stopped.
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
  size_t done = 0;  // runs, those of before included
  size_t total = 0;
  size_t failed = 0;
  std::string what;                    // "timing run 2 of point 3, threads=4"
  std::optional<double> seconds_left;  // nothing while it is unknown
};

struct SweepCalls {
  std::function<void(const SweepProgress& progress)> progress;  // several times a second
  std::function<void(const std::string& sentence)> print;       // what people should know now
  // A run was recorded into the file `path`; an Error ends the sweep.
  std::function<Result<>(const Profile& profile, const std::string& path)> recorded;
};

struct SweepEnd {
  size_t made = 0;     // runs, now
  int stopped_by = 0;  // a signal
};

// `retry`: those that failed before are made again. An Error ends the sweep; what was stored stays.
Result<SweepEnd> run_sweep(const Plan& plan, RunLog& log, bool retry, const SweepCalls& calls);

// What is left to do, in order, without the runs that are recorded.
std::vector<PlannedRun> runs_to_make(const Plan& plan,
                                     const std::vector<Point>& points,
                                     const std::vector<RunRecord>& made,
                                     bool retry);
// Which points are recorded in runs of their own, given the runs so far.
std::vector<size_t> points_to_record(const Plan& plan,
                                     const std::vector<Point>& points,
                                     const std::vector<RunRecord>& runs);
// The recorded runs that are left to do: of the worst point, as far as it is known by now.
std::vector<PlannedRun> recordings_to_make(const Plan& plan,
                                           const std::vector<Point>& points,
                                           const std::vector<RunRecord>& made,
                                           bool retry);
// Seconds that these take, from runs that were made (or the plan's estimate).
std::optional<double> estimate_seconds(const Plan& plan,
                                       const std::vector<Point>& points,
                                       const std::vector<RunRecord>& made,
                                       const std::vector<PlannedRun>& left);

// Whether any run, recorded or not, is left to do.
bool is_anything_left(const Plan& plan, const RunLog& log, bool retry);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// One run of one point: servers started and awaited, clients run to their end, servers stopped in
// reverse order, and the metrics of all that.
//
// Whatever goes wrong (a server that never gets ready, a client that fails, time that is over, a
// signal) ends in the same orderly stop. What the roles print is kept in files of the run's
// directory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "experiment/plan/plan.h"
#include "experiment/plan/points.h"
#include "experiment/sweep/run_metrics.h"
#include "experiment/sweep/run_placeholders.h"
#include "record/held_signals.h"

namespace wick {

enum class RunStatus : uint8_t { kOk, kFailed, kTimeout };
std::string_view status_name(RunStatus status);

struct RunOutcome {
  RunStatus status = RunStatus::kOk;
  std::string why;     // one sentence when it is not ok
  std::string cut;     // one sentence when a role printed more than was looked at
  double seconds = 0;  // from the first server's start to the last one's end
  MetricValues metrics;
  std::vector<CheckOutcome> checks;
  int stopped_by = 0;  // a signal to wick: the run does not count
};

// `tick` is called several times a second.
RunOutcome run_point(const Plan& plan,
                     const Point& point,
                     const RunSetting& setting,
                     record::HeldSignals& signals,
                     const std::function<void()>& tick);

}  // namespace wick

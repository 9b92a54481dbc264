// SPDX-License-Identifier: Apache-2.0
// One run of one point: starts the servers and waits until they are ready, runs the clients to
// their end, stops the servers in reverse order, and computes the metrics.
//
// After any problem (a server that does not become ready, a client that fails, a timeout, a signal)
// wick stops all processes in the same order. The output of the roles goes to files in the run's
// directory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
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
  std::string why;                       // one sentence if it is not ok
  std::string cut;                       // one sentence if a role printed more than wick reads
  double seconds = 0;                    // from the first server's start to the last one's end
  std::optional<double> stolen_seconds;  // by the host of this virtual machine, in that time
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

// One run of one point: servers started and awaited, clients run to their end, servers stopped in
// reverse order, and the metrics of all that.
//
// Every process is in a group of its own, so that Ctrl+C reaches wick alone and a stop reaches all
// that a role has started; processes die with wick when it is killed. Whatever goes wrong (a server
// that never gets ready, a client that fails, time that is over, a signal) ends in the same orderly
// stop. What the roles print is kept in files of the run's directory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "experiment/plan/plan.h"
#include "experiment/plan/points.h"
#include "experiment/sweep/run_metrics.h"
#include "record/held_signals.h"

namespace wick {

struct RunSetting {
  std::string directory;        // absolute, there, and empty: {dir}
  std::string build_directory;  // {build_dir}
  uint32_t repeat = 1;
  std::vector<CounterRequest> counters = {};
};

enum class RunStatus : uint8_t { kOk, kFailed, kTimeout };
std::string_view status_name(RunStatus status);

struct RunOutcome {
  RunStatus status = RunStatus::kOk;
  std::string why;     // one sentence when it is not ok
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

// The counters that the plan's metrics need.
std::vector<CounterRequest> counters_for(const Plan& plan);

// The fillings of a run: those of the point, and of the setting.
HoleWords run_holes(const Plan& plan, const Point& point, const Fillings& of_run);
Fillings setting_fillings(const Plan& plan, const Point& point, const RunSetting& setting);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "experiment/overhead.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>

#include "base/descriptor.h"
#include "experiment/measured_run.h"
#include "experiment/turns.h"
#include "record/machine.h"

namespace wick {
namespace {

struct RunCost {
  double seconds = 0;
  double cpu_seconds = 0;
  int status = 0;
  int stopped_by = 0;
};

Result<RunCost> run_bare(const record::LaunchRequest& launch, record::HeldSignals& signals) {
  MeasuredRun run = TRY(measure_run({.command = launch.command,
                                     .environment = launch.environment,
                                     .directory = launch.directory,
                                     .cpus = launch.pin,
                                     .outputs = launch.outputs,
                                     .counters = {}},
                                    signals));
  return RunCost{.seconds = run.wall_seconds,
                 .cpu_seconds = run.user_seconds + run.system_seconds,
                 .status = run.status,
                 .stopped_by = run.stopped_by};
}

Result<RunCost> run_recorded(const capture::Request& request,
                             const capture::Calls& calls,
                             record::HeldSignals& signals) {
  capture::Recording recording = TRY(capture::run(request, calls, signals));
  RunCost cost{.status = recording.status, .stopped_by = recording.end.stopped_by};
  if (recording.end.child) {
    const record::Child::End& end = *recording.end.child;
    cost.seconds = recording.end.child_seconds;
    cost.cpu_seconds = static_cast<double>(end.user_ns + end.system_ns) / 1e9;
  }
  return cost;
}

}  // namespace

Result<Overhead> measure_overhead(capture::Request request,
                                  uint64_t pairs,
                                  const capture::Calls& calls) {
  Descriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (!nowhere.valid()) {
    return fail("--overhead discards the program's output, but cannot open /dev/null: {}.",
                std::strerror(errno));
  }
  record::LaunchRequest& launch = request.session.launch;
  launch.outputs[0] = nowhere.get();
  record::set_scheduling(launch.scheduling);  // bare runs have the scheduling of wick's runs
  record::HeldSignals signals;
  Overhead result;
  std::array<RunCost, 2> costs;  // of the current turn: bare, recorded
  auto make = [&](const Turn& turn) -> Result<int> {
    RunCost& cost = costs[turn.side];
    cost = TRY(turn.side == 0 ? run_bare(launch, signals) : run_recorded(request, calls, signals));
    if (turn.side == 1) {
      request.older = capture::OlderFile::kReplaced;  // the first recorded run has already renamed
                                                      // an older file
    }
    result.status = result.status == 0 ? cost.status : result.status;
    bool is_complete = turn.side != turn.number % 2;
    if (is_complete && !turn.is_warmup && cost.stopped_by == 0) {
      result.wall.push_back({costs[0].seconds, costs[1].seconds});
      result.cpu.push_back({costs[0].cpu_seconds, costs[1].cpu_seconds});
    }
    return cost.stopped_by;
  };
  TurnsEnd end = TRY(run_in_turns({.sides = 2, .turns = pairs, .warmups = 1}, signals, make));
  result.wall.resize(end.complete);
  result.cpu.resize(end.complete);
  result.stopped_by = end.stopped_by;
  if (end.complete == 0) {
    return fail("Interrupted before the first pair of runs finished; no results.");
  }
  return result;
}

}  // namespace wick

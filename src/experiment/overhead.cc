// SPDX-License-Identifier: Apache-2.0
#include "experiment/overhead.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <string_view>

#include <fcntl.h>

#include "base/descriptor.h"
#include "experiment/disturbed_runs.h"
#include "experiment/measured_run.h"
#include "experiment/stat/stat_report.h"
#include "experiment/turns.h"
#include "record/machine.h"
#include "report/amounts.h"

namespace wick {
namespace {

struct RunCost {
  RunFacts facts = {};
  int status = 0;
  int stopped_by = 0;
};

Result<RunCost> run_bare(const record::LaunchRequest& launch, record::HeldSignals& signals) {
  MeasuredRun run = TRY(measure_run({.command = launch.command,
                                     .environment = launch.environment,
                                     .directory = launch.directory,
                                     .cpus = launch.pin,
                                     .outputs = launch.outputs,
                                     .counters = {},
                                     .dies_with_us = launch.dies_with_us,
                                     .leaves_processes = launch.leaves_processes},
                                    signals));
  return RunCost{
      .facts = facts_of(stat_run(run)), .status = run.status, .stopped_by = run.stopped_by};
}

Result<RunCost> run_recorded(const capture::Request& request,
                             const capture::Calls& calls,
                             record::HeldSignals& signals) {
  capture::Recording recording = TRY(capture::run(request, calls, signals));
  RunCost cost{.status = recording.status, .stopped_by = recording.end.stopped_by};
  if (recording.end.child) {
    cost.facts = facts_of(recording.end);
  }
  return cost;
}

constexpr std::array<std::string_view, 2> kSides = {"bare", "recorded"};
using Costs = std::vector<std::array<RunFacts, 2>>;  // by pair: bare, recorded

struct Disturbed {
  size_t pair = 0;
  std::string text;
};

std::vector<Disturbed> disturbed_in(const Costs& costs) {
  std::vector<Disturbed> all;
  for (size_t side = 0; side < kSides.size(); ++side) {
    std::vector<RunFacts> facts;
    for (const std::array<RunFacts, 2>& pair : costs) {
      facts.push_back(pair[side]);
    }
    for (size_t run : disturbed_runs(facts)) {
      std::string name = fmt::format("Run {} {}", run + 1, kSides[side]);
      all.push_back({run, disturbed_text(name, facts, run)});
    }
  }
  return all;
}

// The interval of two short pairs can be thousands of percent wide: the row must fit 80 columns.
std::string percent(double change) {
  constexpr double kMost = 99.99;  // ">+9999": how much more does not matter
  if (change > kMost) {
    return fmt::format(">{:+.0f}", 100 * kMost);
  }
  constexpr double kOneDigit = 0.9995;
  return std::abs(change) < kOneDigit ? fmt::format("{:+.1f}", 100 * change)
                                      : fmt::format("{:+.0f}", 100 * change);
}

}  // namespace

std::string overhead_row(std::string_view what, std::span<const Pair> pairs) {
  auto is_zero = [](const Pair& pair) { return pair.before <= 0 || pair.after <= 0; };
  if (pairs.empty() || std::ranges::any_of(pairs, is_zero)) {
    return fmt::format(
        "{:<8} {:>10} {:>10} {:>9}  (too short for the kernel to measure)", what, "-", "-", "-");
  }
  Comparison compared = compare_times(pairs);
  const RunChange& change = compared.change;
  std::string spread = pairs.size() < 2
                           ? "one pair has no spread"
                           : fmt::format("95 %: {} to {} %{}",
                                         percent(change.low),
                                         percent(change.high),
                                         compared.is_within_noise() ? "; within noise" : "");
  TimesText times(std::max(change.before, change.after));
  return fmt::format("{:<8} {:>10} {:>10} {:>7} %  ({})",
                     what,
                     times.of(change.before),
                     times.of(change.after),
                     percent(change.value),
                     spread);
}

Result<Overhead> measure_overhead(capture::Request request,
                                  uint64_t pairs,
                                  uint64_t reruns,
                                  const capture::Calls& calls) {
  Descriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (!nowhere.valid()) {
    return fail("--overhead discards the program's output, but cannot open /dev/null: {}.",
                std::strerror(errno));
  }
  record::LaunchRequest& launch = request.session.launch;
  launch.outputs[0] = nowhere.get();
  launch.dies_with_us = true;                 // a measurement, not the user's program
  launch.leaves_processes = true;             // as without wick
  record::set_scheduling(launch.scheduling);  // bare runs have the scheduling of wick's runs
  record::HeldSignals signals;
  Overhead result;
  Costs costs;
  std::array<RunFacts, 2> current;  // of this turn
  auto make = [&](const Turn& turn) -> Result<int> {
    RunCost cost =
        TRY(turn.side == 0 ? run_bare(launch, signals) : run_recorded(request, calls, signals));
    if (turn.side == 1) {
      request.older = capture::OlderFile::kReplaced;  // the first recorded run has already renamed
                                                      // an older file
    }
    result.status = result.status == 0 ? cost.status : result.status;
    current[turn.side] = cost.facts;
    bool is_complete = turn.side != turn.number % 2;
    if (is_complete && !turn.is_warmup && cost.stopped_by == 0) {
      costs.resize(std::max<size_t>(costs.size(), turn.number + 1));
      costs[turn.number] = current;
    }
    return cost.stopped_by;
  };
  uint64_t repeated = 0;
  auto find_disturbed = [&] {
    std::vector<uint64_t> turns;
    for (const Disturbed& one : disturbed_in(costs)) {
      if (repeated < reruns && std::ranges::find(turns, one.pair) == turns.end()) {
        turns.push_back(one.pair);
        ++repeated;
        result.notes.push_back("repeated (--rerun): " + one.text);
      }
    }
    return turns;
  };
  TurnPlan plan{.sides = 2, .turns = pairs, .warmups = 1, .reruns = reruns};
  TurnsEnd end = TRY(run_in_turns(plan, signals, make, find_disturbed));
  costs.resize(end.complete);
  for (const auto& [bare, recorded] : costs) {
    result.wall.push_back({bare.wall_seconds, recorded.wall_seconds});
    result.cpu.push_back({bare.cpu_seconds, recorded.cpu_seconds});
  }
  std::vector<Disturbed> left = disturbed_in(costs);
  for (const Disturbed& one : left) {
    result.notes.push_back(one.text);
  }
  if (!left.empty()) {
    result.notes.push_back(rerun_advice(true));
  }
  result.stopped_by = end.stopped_by;
  if (end.complete == 0) {
    return fail_stopped(
        end.stopped_by, "{}; no results.", stop_text(end.stopped_by, 0, pairs, "pairs"));
  }
  return result;
}

}  // namespace wick

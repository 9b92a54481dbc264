// SPDX-License-Identifier: Apache-2.0
#include "experiment/stat/stat_runs.h"

#include <algorithm>

#include <fcntl.h>
#include <fmt/ranges.h>

#include "base/command_text.h"
#include "base/descriptor.h"
#include "experiment/measured_run.h"
#include "experiment/stat/counted_span.h"
#include "experiment/turns.h"
#include "record/cpu_frequency.h"
#include "record/machine.h"

namespace wick {
namespace {

// How long wick watches the machine for other load before the first run.
double watch_seconds(const StatRequest& request) {
  return request.attaches() ? 0 : request.repeats() ? 0.25 : 0.1;
}

class StatRunner {
 public:
  StatRunner(const StatRequest& request, const StatCalls& calls)
      : request_(request), calls_(calls), nowhere_(::open("/dev/null", O_WRONLY | O_CLOEXEC)) {
    for (const std::vector<std::string>& command : request.commands) {
      result_.sides.push_back({.name = command_text(command)});
    }
  }

  Result<StatResult> run() {
    result_.machine = record::examine_for_timing({.pinned = request_.pin},
                                                 {.watch_seconds = watch_seconds(request_)});
    if (request_.repeats()) {
      std::ranges::for_each(result_.machine.findings(), calls_.on_finding);
    }
    TRY(request_.attaches() || request_.per_thread ? count() : repeat());
    if (result_.sides[0].runs.empty() || result_.sides.back().runs.empty()) {
      return fail_stopped(
          result_.stopped_by, "{}; no results.", stop_text(result_.stopped_by, 0, request_.runs));
    }
    return std::move(result_);
  }

 private:
  RunRequest request_for(size_t side, bool is_warmup) const {
    RunRequest run{.command = request_.commands[side],
                   .cpus = request_.pin,
                   .timeout_seconds = request_.attaches() ? 0 : request_.duration,
                   .counters = request_.options.requests,
                   .dies_with_us = true,
                   .leaves_processes = true,
                   .on_exec_error = calls_.on_exec_error};
    run.outputs[0] = is_warmup || !request_.shows_output ? nowhere_.get() : request_.output;
    return run;
  }

  // ---- Programs that wick runs

  Result<> repeat() {
    record::HeldSignals signals;
    TurnPlan plan{.sides = request_.commands.size(),
                  .turns = request_.runs,
                  .warmups = request_.warmups,
                  .reruns = request_.reruns};
    auto make = [&](const Turn& turn) -> Result<int> {
      RunRequest wanted = request_for(turn.side, turn.is_warmup);
      MeasuredRun run = TRY(measure_run(wanted, signals, calls_.tick));
      if (calls_.on_run_end) {
        calls_.on_run_end(run.wall_seconds);
      }
      note_clock(turn);
      take(run, turn);
      return run.stopped_by;
    };
    TurnsEnd end = TRY(run_in_turns(plan, signals, make, [&] { return disturbed_turns(); }));
    result_.stopped_by = end.stopped_by;
    if (std::string text = record::frequency_text(clock_mhz_); !text.empty()) {
      result_.notes.push_back(std::move(text));
    }
    for (StatSide& side : result_.sides) {
      // A run that is not repeated is reported even if a signal ended it.
      side.runs.resize(std::min<size_t>(side.runs.size(), request_.repeats() ? end.complete : 1));
    }
    return {};
  }

  // Right after the run, while the CPU that executed it still has the frequency.
  void note_clock(const Turn& turn) {
    std::optional<double> mhz = record::current_mhz({}, cpus_);
    if (mhz && !turn.is_warmup) {
      clock_mhz_.push_back(*mhz);
    }
  }

  void take(MeasuredRun& run, const Turn& turn) {
    if (run.timed_out) {
      ++result_.timed_out;
      run.status = 0;  // wick ended it, as requested
    }
    bool cut_short = run.stopped_by != 0 && request_.repeats();
    if (run.status != 0 && result_.status == 0 && !cut_short) {
      result_.status = run.status;
    }
    if (turn.is_warmup || cut_short) {
      return;
    }
    std::vector<StatRun>& runs = result_.sides[turn.side].runs;
    if (turn.is_rerun) {
      runs[turn.number] = stat_run(run);
    } else {
      runs.push_back(stat_run(run));
    }
  }

  // Adds a note for each, because the next run takes its place.
  std::vector<uint64_t> disturbed_turns() {
    std::vector<uint64_t> turns;
    for (size_t side = 0; side < result_.sides.size(); ++side) {
      const std::vector<StatRun>& runs = result_.sides[side].runs;
      std::vector<RunFacts> facts;
      for (const StatRun& run : runs) {
        facts.push_back(facts_of(run));
      }
      for (size_t i : disturbed_runs(facts)) {
        if (reruns_ < request_.reruns && std::ranges::find(turns, i) == turns.end()) {
          turns.push_back(i);
          ++reruns_;
          result_.notes.push_back("Repeated (--rerun): " +
                                  disturbed_text(run_name(result_.sides, side, runs[i]), facts, i));
        }
      }
    }
    return turns;
  }

  // ---- Processes that run already

  Result<> count() {
    record::HeldSignals signals;
    SpanRequest span{.of = request_.whole_machine  ? SpanRequest::Of::kMachine
                           : request_.pids.empty() ? SpanRequest::Of::kProgram
                                                   : SpanRequest::Of::kProcesses,
                     .pids = request_.pids,
                     .counters = request_.options.requests,
                     .duration_seconds = request_.duration,
                     .per_thread = request_.per_thread};
    if (!request_.commands.empty()) {
      span.command = request_for(0, false);
    }
    CountedSpan counted = TRY(count_span(span, signals));
    result_.stopped_by = counted.stopped_by;
    if (counted.command) {
      result_.status = counted.command->timed_out ? 0 : counted.command->status;
      result_.timed_out = counted.command->timed_out ? 1 : 0;
    }
    if (request_.attaches()) {
      result_.sides = {{.name = target_name()}};
    }
    result_.sides[0].runs.push_back(std::move(counted.run));
    result_.threads = std::move(counted.threads);
    result_.notes = std::move(counted.notes);
    return {};
  }

  std::string target_name() const {
    return request_.whole_machine ? "The whole machine"
                                  : fmt::format("{} {}",
                                                request_.pids.size() == 1 ? "Process" : "Processes",
                                                fmt::join(request_.pids, ", "));
  }

  const StatRequest& request_;
  const StatCalls& calls_;
  Descriptor nowhere_;
  std::vector<int> cpus_ = request_.pin.empty() ? record::online_cpus() : request_.pin;
  std::vector<double> clock_mhz_;  // after each run
  uint64_t reruns_ = 0;
  StatResult result_;
};

// ---- Notes about the runs -----------------------------------------------------------------------

void add_run_notes(const StatRequest& request, const StatResult& result, Report& report) {
  if (request.warmups > 0) {
    report.notes.push_back(
        fmt::format("Before these, wick made {} {}to warm up.",
                    request.warmups == 1 ? "one run" : fmt::format("{} runs", request.warmups),
                    request.commands.size() > 1 ? "of each " : ""));
  }
  if (result.timed_out > 0) {
    report.notes.push_back(
        request.repeats()
            ? fmt::format("wick stopped {} runs after {:.3g} s (--duration).",
                          result.timed_out,
                          request.duration)
            : fmt::format("wick stopped it after {:.3g} s (--duration).", request.duration));
  }
  if (result.stopped_by != 0 && request.repeats()) {
    report.notes.push_back(stop_text(result.stopped_by, result.sides[0].runs.size(), request.runs) +
                           ".");
  }
}

// The findings were printed before the first run, so their names are enough.
void add_finding_names(const record::MachineFacts& machine, Report& report) {
  std::vector<std::string> names;
  for (const record::Finding& finding : machine.findings()) {
    names.push_back(finding.what);
  }
  if (!names.empty()) {
    report.notes.push_back(fmt::format("See the warnings above: {}.", fmt::join(names, ", ")));
  }
}

}  // namespace

Result<StatResult> run_stat(const StatRequest& request, const StatCalls& calls) {
  return StatRunner(request, calls).run();
}

Report report_of(const StatRequest& request, const StatResult& result) {
  Report report = stat_report(result.sides, request.options);
  if (!result.threads.empty()) {
    const std::vector<RunMetric>& metrics = result.sides[0].runs[0].metrics;
    report.sections.insert(report.sections.begin() + 1,
                           thread_section(result.threads, metrics.empty() ? 0 : metrics[0].value));
  }
  report.notes.insert(report.notes.end(), result.notes.begin(), result.notes.end());
  add_run_notes(request, result, report);
  if (request.options.for_programs || !request.repeats()) {
    add_machine(result.machine, request.options, report);
  } else {
    add_finding_names(result.machine, report);
  }
  return report;
}

}  // namespace wick

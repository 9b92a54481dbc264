// SPDX-License-Identifier: Apache-2.0
// wick record: records a program, a process or the whole machine to a .wick file, or measures the
// overhead of recording.

#include <span>

#include "answer/built_programs.h"
#include "base/parse_number.h"
#include "cli/commands/commands.h"
#include "cli/recording.h"
#include "cli/show.h"
#include "cli/status_line.h"
#include "experiment/overhead.h"
#include "experiment/turns.h"

namespace wick {
namespace {

constexpr uint64_t kMaxPairs = 1000;

Result<int> print_overhead(const RecordingPlan& plan, uint64_t pairs, uint64_t reruns) {
  const record::SessionRequest& session = plan.request.session;
  if (session.launch.command.empty() || session.watch.any()) {
    return fail_usage(
        "--overhead runs a command repeatedly: `wick record --overhead -- COMMAND`, without "
        "--marker and --stop-on.");
  }
  if (pairs == 0 || pairs > kMaxPairs) {
    return fail_usage("--overhead takes a number of pairs of runs from 1 to {}.", kMaxPairs);
  }
  StatusLine line(false);
  for (const std::string& note : plan.notes) {
    line.print(note);
  }
  Overhead overhead =
      TRY(measure_overhead(plan.request, pairs, reruns, {.print = [&](const std::string& sentence) {
                             line.print(sentence);
                           }}));
  print_cautions(cautions_about_commands(std::span(session.launch.command).first(1)));
  fmt::print("{} pairs of alternating runs after a warm-up run of each; output discarded\n\n",
             overhead.wall.size());
  fmt::print("{:<8} {:>10} {:>10} {:>9}\n", "", "bare", "recorded", "slow-down");
  fmt::print(
      "{}\n{}\n", overhead_row("time", overhead.wall), overhead_row("CPU time", overhead.cpu));
  for (const std::string& note : overhead.notes) {
    line.print(note);
  }
  if (overhead.stopped_by != 0) {
    line.print(stop_text(overhead.stopped_by, overhead.wall.size(), pairs, "pairs") + ".");
    return kStopped + overhead.stopped_by;
  }
  if (overhead.status != 0) {
    line.print(fmt::format("a run ended with status {}.", overhead.status));
  }
  return overhead.status;
}

Result<int> record_as_planned(const Invocation& call, const RecordingPlan& plan) {
  if (!call.flags.given("overhead")) {
    if (call.flags.given("rerun")) {
      return fail_usage("--rerun repeats runs of --overhead.");
    }
    return TRY(record_to_file(plan)).status;
  }
  std::optional<uint64_t> pairs = parse_number<uint64_t>(call.flags.text("overhead"));
  return print_overhead(plan, pairs.value_or(0), call.flags.integer("rerun"));
}

Result<int> run_record(const Invocation& call) {
  RecordingPlan plan = TRY(plan_recording(call));
  return own_status(record_as_planned(call, plan), !plan.request.session.launch.command.empty());
}

}  // namespace

Command record_command() {
  Command command{.name = "record",
                  .help = "record a command, processes or the whole machine, with full stacks",
                  .words = "[-- COMMAND...]",
                  .examples = {"wick record -- ./server --port 80",
                               "wick record -p server --duration 10 -o server.wick",
                               "wick record -p server --marker 'batch ([0-9]+)' -- ./client",
                               "wick record --overhead -- ./program",
                               "sudo wick record -a -F 499"},
                  .run = run_record,
                  .runs_command = true,
                  .family = VerbFamily::kRecord};
  append_flags(command.flags, recording_flags());
  append_flags(command.flags, overhead_flags());
  return command;
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// wick stat: measures a program over one or several runs; compares two programs; or counts the
// events of running processes or of the whole machine for a while.
//
//     -- CMD             the program, once or -r times
//     -- A -- B          both in turns (A B, B A ...), compared pair by pair
//     -p PID [-- CMD]    running processes, until --duration, CMD or the processes end, or Ctrl+C
//     -a [-- CMD]        everything on this machine, until the same events
//
// Only one writer uses standard output:
//
//     one run of a program    the program, as with perf; the report goes to stderr
//     several runs            the report; wick discards the output of the programs
//     --json and --csv        the report; the program's output goes to stderr
#include <algorithm>
#include <array>
#include <cstdio>

#include <fmt/ranges.h>
#include <unistd.h>

#include "answer/built_programs.h"
#include "cli/commands/commands.h"
#include "cli/recording.h"
#include "cli/recording_plan.h"
#include "cli/show.h"
#include "cli/status_line.h"
#include "experiment/stat/perf_fields.h"
#include "experiment/stat/stat_report.h"
#include "experiment/stat/stat_runs.h"

namespace wick {
namespace {

constexpr uint64_t kMaxRuns = 100'000;

constexpr std::array kStatFlags = {
    Flag{"event",
         'e',
         FlagKind::kTexts,
         "NAME,...",
         "",
         "events to count: cycles,page-faults; {a,b} counts both together (default: the usual "
         "ones)"},
    Flag{"repeat", 'r', FlagKind::kInteger, "N", "1", "run it N times; with two commands, N pairs"},
    Flag{"warmup",
         '\0',
         FlagKind::kInteger,
         "N",
         "",
         "warm-up runs, which do not count (default 1 with several runs, else 0)"},
    kRerunFlag,
    kPidFlag,
    kAllCpusFlag,
    Flag{.name = "per-thread", .help = "also show a row for each thread"},
    kPinFlag,
    kDurationFlag,
    Flag{"field-separator",
         'x',
         FlagKind::kText,
         "SEP",
         "",
         "print counters as perf stat -x does, on stderr or to -o"},
    Flag{.name = "show-output", .help = "do not discard the output of repeated runs"},
};

using Words = std::vector<std::string>;

// ---- The plan -----------------------------------------------------------------------------------

Result<std::vector<Words>> split_commands(const Words& words) {
  std::vector<Words> commands = words.empty() ? std::vector<Words>() : split_at_dashes(words);
  if (std::ranges::any_of(commands, &Words::empty) || commands.size() > 2) {
    return fail_usage(
        "wick stat takes one command or two: `wick stat -- BEFORE -- AFTER`. Write a command that "
        "contains -- as sh -c '...'.");
  }
  return commands;
}

Result<> plan_counters(const FlagValues& flags, StatRequest& plan) {
  if (flags.given("event")) {
    plan.options.requests =
        TRY(parse_counters(fmt::format("{}", fmt::join(flags.texts("event"), ","))));
    return {};
  }
  plan.options.requests = usual_counters();
  // Other rows already show switches by kind, and migrations.
  plan.options.hidden = {"context-switches", "cpu-migrations"};
  if (plan.attaches() || plan.options.for_programs) {
    plan.options.hidden = {};
  }
  if (plan.whole_machine) {
    // A CPU's clock never stops, so it would show that all CPUs were busy.
    std::erase_if(plan.options.requests,
                  [](const CounterRequest& one) { return one.event.is_clock(); });
  }
  return {};
}

Result<> check_plan(const FlagValues& flags, const StatRequest& plan) {
  if (plan.commands.empty() && !plan.attaches()) {
    return fail_usage("Nothing to measure: use `wick stat -- COMMAND`, -p PID, or -a.");
  }
  if (plan.whole_machine && !plan.pids.empty()) {
    return fail_usage("-a counts everything and -p some processes: use only one of them.");
  }
  if (plan.attaches() && (plan.commands.size() > 1 || flags.given("repeat"))) {
    return fail_usage("-r and two commands are for programs that wick starts, not for -p and -a.");
  }
  if (plan.per_thread && (plan.whole_machine || plan.repeats())) {
    return fail_usage("--per-thread is for one run of one command, or for -p.");
  }
  if (plan.runs == 0 || plan.runs > kMaxRuns || plan.warmups > kMaxRuns) {
    return fail_usage("-r takes a number of runs from 1 to {}.", kMaxRuns);
  }
  if (plan.reruns > 0 && !plan.repeats()) {
    return fail_usage("--rerun compares runs with each other: use it with -r N.");
  }
  if (flags.given("duration") && !(plan.duration > 0)) {
    return fail_usage("--duration takes seconds above zero.");
  }
  if (flags.given("field-separator") && (plan.options.for_programs || plan.commands.size() > 1)) {
    return fail_usage("-x is for one command, and not with --json or --csv.");
  }
  return {};
}

Result<StatRequest> plan_stat(const Invocation& call) {
  const FlagValues& flags = call.flags;
  StatRequest plan{.commands = TRY(split_commands(call.words)),
                   .whole_machine = flags.is_set("all-cpus"),
                   .per_thread = flags.is_set("per-thread"),
                   .runs = flags.integer("repeat"),
                   .duration = flags.given("duration") ? flags.number("duration") : 0};
  plan.options.for_programs = flags.is_set("json") || flags.is_set("csv");
  plan.reruns = flags.integer("rerun");
  plan.warmups = flags.given("warmup") ? flags.integer("warmup") : plan.repeats() ? 1 : 0;
  if (flags.given("pid")) {
    plan.pids = TRY(capture::find_processes(fmt::format("{}", fmt::join(flags.texts("pid"), ","))));
  }
  if (flags.given("pin")) {
    plan.pin = TRY(cpu_list(flags, "pin"));
  }
  TRY(plan_counters(flags, plan));
  TRY(check_plan(flags, plan));
  plan.shows_output = !plan.commands.empty() && (!plan.repeats() || flags.is_set("show-output"));
  if (plan.options.for_programs && !flags.given("output")) {
    plan.output = STDERR_FILENO;
  }
  return plan;
}

// ---- Running and showing ------------------------------------------------------------------------

// If the program cannot be executed, `failure` becomes the status that a shell would return.
Result<StatResult> run_with_progress(const StatRequest& plan, int& failure) {
  size_t all = (plan.warmups + plan.runs) * plan.commands.size();
  RunProgress progress(all, !plan.attaches() && plan.repeats() && !plan.shows_output);
  StatusLine line;
  StatCalls calls{
      .on_finding =
          [&](const record::Finding& finding) { line.print(record::finding_text(finding)); },
      .on_exec_error = [&](int error) { failure = capture::status_without_program(error); }};
  if (progress.is_on()) {
    calls.tick = [&] { progress.tick(); };
    calls.on_run_end = [&](double seconds) { progress.end_run(seconds); };
  }
  if (plan.attaches() && plan.commands.empty() && !(plan.duration > 0) && line.is_on()) {
    line.print("counting; Ctrl+C stops and shows the counts.");
  }
  return run_stat(plan, calls);
}

Result<int> show_separated(const StatRequest& plan, const StatSide& side, const FlagValues& flags) {
  std::string text = separated_text(side, plan.options, flags.text("field-separator"));
  if (!flags.given("output")) {
    std::fputs(text.c_str(), stderr);
    return kDone;
  }
  Output out = TRY(Output::to_path(flags.text("output")));
  out.write(text);
  TRY(out.finish());
  return kDone;
}

std::vector<std::string> programs_of(const StatRequest& plan) {
  std::vector<std::string> words;
  for (const Words& command : plan.commands) {
    words.push_back(command[0]);
  }
  return words;
}

Result<int> show_result(const StatRequest& plan, const StatResult& result, FlagValues flags) {
  if (flags.given("field-separator")) {
    return show_separated(plan, result.sides[0], flags);
  }
  if (!flags.given("limit") && result.threads.empty()) {
    flags.set("limit", "0");
  }
  Report report = report_of(plan, result);
  report.cautions = cautions_about_commands(programs_of(plan));
  return show(
      report,
      flags,
      {.default_view = "terminal", .to_stderr = plan.shows_output && !plan.options.for_programs});
}

// After an Error, `failure` is the exit status.
Result<int> run_and_show(const StatRequest& plan, const FlagValues& flags, int& failure) {
  StatResult result = TRY(run_with_progress(plan, failure));
  int shown = TRY(show_result(plan, result, flags));
  bool is_stopped = result.stopped_by != 0 && (plan.repeats() || plan.attaches());
  if (shown == kDone && result.status == kDone && is_stopped) {
    return kStopped + result.stopped_by;
  }
  return shown != kDone ? shown : result.status;
}

Result<int> run_stat_verb(const Invocation& call) {
  TRY(check_output(call.flags, {.default_view = "terminal"}));
  StatRequest plan = TRY(plan_stat(call));
  int failure = kOwnFailure;
  Result<int> status = run_and_show(plan, call.flags, failure);
  return own_status(std::move(status), !plan.commands.empty(), failure);
}

}  // namespace

Command stat_command() {
  Command command{.name = "stat",
                  .help = "measure a run: time, switches, faults, memory, counters",
                  .words = "[-- COMMAND...] [-- COMMAND...]",
                  .examples = {"wick stat -- ./program",
                               "wick stat -r 20 -- ./program",
                               "wick stat -r 10 -- ./old -- ./new",
                               "wick stat -e '{cycles,instructions},page-faults' -- ./program",
                               "wick stat -p server --per-thread --duration 10",
                               "sudo wick stat -a --duration 5"},
                  .run = run_stat_verb,
                  .runs_command = true,
                  .family = VerbFamily::kCompare};
  append_flags(command.flags, kStatFlags);
  append_flags(command.flags, output_flags("terminal"));
  return command;
}

}  // namespace wick

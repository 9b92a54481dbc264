// wick stat: what a program takes, over as many runs as asked; two programs compared; or what
// processes that run, or the whole machine, do for a while.
//
//     -- CMD             the program, once or -r times
//     -- A -- B          both in turns (A B, B A ...), compared as `wick diff` compares
//     -p PID [-- CMD]    processes that run already, until --duration, CMD or they end, or Ctrl+C
//     -a [-- CMD]        everything on this machine, likewise
//
// Who owns standard output: a program that is run once and shows its own, as under perf, and then
// the report goes to stderr; with --json and --csv the report, and the program's output goes to
// stderr. Of programs that are run several times the output is discarded.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/program_path.h"
#include "cli/commands/commands.h"
#include "cli/recording.h"
#include "cli/recording_plan.h"
#include "cli/run_progress.h"
#include "cli/show.h"
#include "cli/tty.h"
#include "experiment/stat/counted_span.h"
#include "experiment/stat/perf_fields.h"
#include "experiment/stat/stat_report.h"

namespace wick {
namespace {

constexpr uint64_t kMostRuns = 100'000;
constexpr double kShortWatch = 0.1;

constexpr std::array kFlags = {
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
    kPidFlag,
    kAllCpusFlag,
    Flag{"per-thread", '\0', FlagKind::kSwitch, "", "", "also show a row for each thread"},
    kPinFlag,
    kDurationFlag,
    Flag{"field-separator",
         'x',
         FlagKind::kText,
         "SEP",
         "",
         "print counters as perf stat -x does, on stderr or to -o"},
    Flag{"show-output",
         '\0',
         FlagKind::kSwitch,
         "",
         "",
         "do not discard the output of repeated runs"},
};

using Words = std::vector<std::string>;

struct StatPlan {
  std::vector<Words> commands;
  std::vector<int32_t> pids;
  bool whole_machine = false;
  bool per_thread = false;
  uint64_t runs = 1;
  uint64_t warmups = 0;
  double duration = 0;
  std::vector<int> pin;
  StatOptions options;
  bool for_programs = false;  // --json or --csv
  bool separated = false;     // -x
  bool shows_output = false;  // of the program

  bool attaches() const { return whole_machine || !pids.empty(); }
  bool repeats() const { return runs > 1 || commands.size() > 1; }
};

// ---- The plan -----------------------------------------------------------------------------------

Result<std::vector<Words>> split_commands(const Words& words) {
  std::vector<Words> commands;
  if (words.empty()) {
    return commands;
  }
  commands.emplace_back();
  for (const std::string& word : words) {
    if (word == "--") {
      commands.emplace_back();
    } else {
      commands.back().push_back(word);
    }
  }
  if (std::ranges::any_of(commands, &Words::empty) || commands.size() > 2) {
    return fail_usage(
        "wick stat takes one command or two: `wick stat -- BEFORE -- AFTER`. Write a command that "
        "contains -- as sh -c '...'.");
  }
  return commands;
}

Result<> plan_counters(const FlagValues& flags, StatPlan& plan) {
  if (flags.given("event")) {
    plan.options.requests =
        TRY(parse_counters(fmt::format("{}", fmt::join(flags.texts("event"), ","))));
    return {};
  }
  plan.options.requests = usual_counters();
  // The kinds of switches, and migrations, say it already.
  plan.options.hidden = {"context-switches", "cpu-migrations"};
  if (plan.attaches() || plan.for_programs) {
    plan.options.hidden = {};
  }
  if (plan.whole_machine) {
    // A CPU's own clock never stops: it would say that all CPUs were busy.
    std::erase_if(plan.options.requests,
                  [](const CounterRequest& one) { return one.event.is_clock(); });
  }
  return {};
}

Result<> check_plan(const FlagValues& flags, const StatPlan& plan) {
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
  if (plan.runs == 0 || plan.runs > kMostRuns || plan.warmups > kMostRuns) {
    return fail_usage("-r takes a number of runs from 1 to {}.", kMostRuns);
  }
  if (flags.given("duration") && !(plan.duration > 0)) {
    return fail_usage("--duration takes seconds above zero.");
  }
  if (plan.separated && (plan.for_programs || plan.commands.size() > 1)) {
    return fail_usage("-x is for one command, and not with --json or --csv.");
  }
  return {};
}

Result<StatPlan> plan_stat(const Invocation& call) {
  const FlagValues& flags = call.flags;
  StatPlan plan{.commands = TRY(split_commands(call.words)),
                .whole_machine = flags.is_set("all-cpus"),
                .per_thread = flags.is_set("per-thread"),
                .runs = flags.integer("repeat"),
                .duration = flags.given("duration") ? flags.number("duration") : 0,
                .for_programs = flags.is_set("json") || flags.is_set("csv"),
                .separated = flags.given("field-separator")};
  plan.warmups = flags.given("warmup") ? flags.integer("warmup") : plan.repeats() ? 1 : 0;
  if (flags.given("pid")) {
    plan.pids = TRY(find_processes(fmt::format("{}", fmt::join(flags.texts("pid"), ","))));
  }
  if (flags.given("pin")) {
    plan.pin = TRY(cpu_list(flags, "pin"));
  }
  TRY(plan_counters(flags, plan));
  TRY(check_plan(flags, plan));
  plan.options.for_programs = plan.for_programs;
  plan.shows_output = !plan.commands.empty() && (!plan.repeats() || flags.is_set("show-output"));
  return plan;
}

// ---- The runs -----------------------------------------------------------------------------------

std::string joined(const Words& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

// The status of a shell for a program that cannot be run: 127 when there is none of this name.
int status_of_no_program(const std::string& program) {
  return program_path(program, F_OK).empty() ? kNotFound : kCannotExecute;
}

class Stat {
 public:
  Stat(const StatPlan& plan, const FlagValues& flags)
      : plan_(plan), flags_(flags), nowhere_(::open("/dev/null", O_WRONLY | O_CLOEXEC)) {
    for (const Words& command : plan.commands) {
      sides_.push_back({.name = joined(command)});
    }
  }

  Result<int> run() {
    machine_ = record::examine_for_timing({.pinned = plan_.pin},
                                          {.watch_seconds = plan_.attaches()  ? 0
                                                            : plan_.repeats() ? 0.25
                                                                              : kShortWatch});
    if (plan_.repeats()) {
      say_findings();
    }
    if (plan_.attaches() || plan_.per_thread) {
      TRY(count());
    } else {
      TRY(repeat());
    }
    if (sides_[0].runs.empty() || sides_.back().runs.empty()) {
      return fail("Interrupted before the first run finished; no results.");
    }
    int shown = TRY(tell());
    if (shown == kDone && status_ == kDone && stopped_by_ != 0 && plan_.repeats()) {
      return 128 + stopped_by_;
    }
    return shown != kDone ? shown : status_;
  }
  // When run() gives an Error.
  int status_of_failure() const { return status_ != kDone ? status_ : kOwnFailure; }

 private:
  RunRequest request_for(size_t side, bool is_warmup) const {
    RunRequest request{.command = plan_.commands[side],
                       .cpus = plan_.pin,
                       .timeout_seconds = plan_.attaches() ? 0 : plan_.duration,
                       .counters = plan_.options.requests};
    if (is_warmup || !plan_.shows_output) {
      request.outputs[0] = nowhere_.get();
    } else if (plan_.for_programs && !flags_.given("output")) {
      request.outputs[0] = STDERR_FILENO;
    }
    return request;
  }

  void say_findings() const {
    for (const record::Finding& finding : machine_.findings()) {
      std::fprintf(stderr, "wick: %s\n", terminal_text(record::finding_text(finding)).c_str());
    }
  }

  // ---- Programs that are run

  Result<> repeat() {
    record::HeldSignals signals;
    size_t all = (plan_.warmups + plan_.runs) * plan_.commands.size();
    RunProgress progress(all, plan_.repeats() && !plan_.shows_output);
    for (uint64_t i = 0; i < plan_.warmups + plan_.runs && stopped_by_ == 0; ++i) {
      bool is_warmup = i < plan_.warmups;
      for (size_t turn = 0; turn < plan_.commands.size() && stopped_by_ == 0; ++turn) {
        size_t side = (i + turn) % plan_.commands.size();
        progress.tick();
        std::function<void()> tick;
        if (progress.is_shown()) {
          tick = [&progress] { progress.tick(); };
        }
        Result<MeasuredRun> run = measure_run(request_for(side, is_warmup), signals, tick);
        if (!run) {
          status_ = status_of_no_program(plan_.commands[side][0]);
          return std::unexpected(run.error());
        }
        progress.end_run(run->wall_seconds);
        take(*run, side, is_warmup);
      }
    }
    // A pair that was cut short is no pair.
    if (sides_.size() == 2 && stopped_by_ != 0) {
      size_t pairs = std::min(sides_[0].runs.size(), sides_[1].runs.size());
      sides_[0].runs.resize(pairs);
      sides_[1].runs.resize(pairs);
    }
    return {};
  }

  void take(MeasuredRun& run, size_t side, bool is_warmup) {
    if (run.timed_out) {
      ++timed_out_;
      run.status = 0;  // it was wick that ended it, as asked
    }
    bool cut_short = run.stopped_by != 0 && plan_.repeats();
    if (run.stopped_by != 0) {
      stopped_by_ = run.stopped_by;
    }
    if (run.status != 0 && status_ == 0 && !cut_short) {
      status_ = run.status;
    }
    if (!is_warmup && !cut_short) {
      sides_[side].runs.push_back(stat_run(run));
    }
  }

  // ---- Processes that run already

  Result<> count() {
    record::HeldSignals signals;
    SpanRequest request{.of = plan_.whole_machine  ? SpanRequest::Of::kMachine
                              : plan_.pids.empty() ? SpanRequest::Of::kProgram
                                                   : SpanRequest::Of::kProcesses,
                        .pids = plan_.pids,
                        .counters = plan_.options.requests,
                        .duration_seconds = plan_.duration,
                        .per_thread = plan_.per_thread};
    if (!plan_.commands.empty()) {
      request.command = request_for(0, false);
    } else if (!(plan_.duration > 0) && stderr_is_terminal()) {
      std::fputs("wick: counting; Ctrl+C stops and shows the counts.\n", stderr);
    }
    Result<CountedSpan> counted = count_span(request, signals);
    if (!counted) {
      return std::unexpected(counted.error());
    }
    CountedSpan& span = *counted;
    if (span.command) {
      status_ = span.command->timed_out ? 0 : span.command->status;
      timed_out_ = span.command->timed_out ? 1 : 0;
    }
    if (plan_.attaches()) {
      std::string what = plan_.whole_machine
                             ? "The whole machine"
                             : fmt::format("{} {}",
                                           plan_.pids.size() == 1 ? "Process" : "Processes",
                                           fmt::join(plan_.pids, ", "));
      sides_.clear();
      sides_.push_back({.name = std::move(what)});
    }
    wall_ = span.run.metrics.empty() ? 0 : span.run.metrics[0].value;
    sides_[0].runs.push_back(std::move(span.run));
    threads_ = std::move(span.threads);
    notes_ = std::move(span.notes);
    return {};
  }

  // ---- The answer

  Result<int> tell() {
    if (plan_.separated) {
      return tell_separated();
    }
    Report report = stat_report(sides_, plan_.options);
    if (!threads_.empty()) {
      report.sections.insert(report.sections.begin() + 1, thread_section(threads_, wall_));
    }
    report.notes.insert(report.notes.end(), notes_.begin(), notes_.end());
    add_run_notes(report);
    if (plan_.for_programs || !plan_.repeats()) {
      add_machine(machine_, plan_.options, report);
    } else {
      add_found(report);
    }
    FlagValues flags = flags_;
    if (!flags.given("limit") && threads_.empty()) {
      flags.set("limit", "0");
    }
    return show(
        report,
        flags,
        {.default_view = "terminal", .to_stderr = plan_.shows_output && !plan_.for_programs});
  }

  Result<int> tell_separated() {
    std::string text = separated_text(sides_[0], plan_.options, flags_.text("field-separator"));
    if (!flags_.given("output")) {
      std::fputs(text.c_str(), stderr);
      return kDone;
    }
    Output out = TRY(Output::to_path(flags_.text("output")));
    out.write(text);
    TRY(out.finish());
    return kDone;
  }

  void add_run_notes(Report& report) const {
    if (plan_.warmups > 0) {
      report.notes.push_back(
          fmt::format("Before these, wick made {} {}to warm up.",
                      plan_.warmups == 1 ? "one run" : fmt::format("{} runs", plan_.warmups),
                      plan_.commands.size() > 1 ? "of each " : ""));
    }
    if (timed_out_ > 0) {
      report.notes.push_back(
          plan_.repeats()
              ? fmt::format(
                    "wick stopped {} runs after {:.3g} s (--duration).", timed_out_, plan_.duration)
              : fmt::format("wick stopped it after {:.3g} s (--duration).", plan_.duration));
    }
    if (stopped_by_ != 0 && plan_.repeats()) {
      report.notes.push_back(fmt::format(
          "Stopped by a signal after {} of {} runs.", sides_[0].runs.size(), plan_.runs));
    }
  }

  void add_found(Report& report) const {
    std::vector<std::string> names;
    for (const record::Finding& finding : machine_.findings()) {
      names.push_back(finding.what);
    }
    if (!names.empty()) {
      report.notes.push_back(fmt::format("See the warnings above: {}.", fmt::join(names, ", ")));
    }
  }

  const StatPlan& plan_;
  const FlagValues& flags_;
  Descriptor nowhere_;
  record::MachineFacts machine_;
  std::vector<StatSide> sides_;
  std::vector<ThreadReading> threads_;
  std::vector<std::string> notes_;
  double wall_ = 0;
  size_t timed_out_ = 0;
  int stopped_by_ = 0;
  int status_ = kDone;
};

Result<int> run(const Invocation& call) {
  StatPlan plan = TRY(plan_stat(call));
  Stat stat(plan, call.flags);
  Result<int> status = stat.run();
  // With a program, 1 would be taken for the program's own status.
  if (!status && !status.error().usage && !plan.commands.empty()) {
    std::fprintf(stderr, "wick: %s\n", terminal_text(status.error().message).c_str());
    return stat.status_of_failure();
  }
  return status;
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
                  .run = run,
                  .runs_command = true};
  append_flags(command.flags, kFlags);
  append_flags(command.flags, output_flags("terminal"));
  return command;
}

}  // namespace wick

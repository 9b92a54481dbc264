// SPDX-License-Identifier: Apache-2.0
#include "cli/recording_plan.h"

#include <algorithm>
#include <array>

#include <fmt/ranges.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/parse_number.h"
#include "base/pattern.h"
#include "cli/tty.h"
#include "record/event_names.h"
#include "record/machine.h"
#include "views/choice.h"

namespace wick {
namespace {

constexpr std::array kRecordingFlags = {
    Flag{"output", 'o', FlagKind::kPath, "FILE", "", "the file to write (default ./profile.wick)"},
    kPidFlag,
    kAllCpusFlag,
    Flag{"cgroup", 'G', FlagKind::kPath, "DIR", "", "everything in this cgroup"},
    Flag{"event",
         'e',
         FlagKind::kTexts,
         "NAME,...",
         "",
         "the events to sample (default cycles, or cpu-clock)"},
    Flag{"frequency",
         'F',
         FlagKind::kText,
         "HZ|max",
         "997",
         "samples per second; 997 is prime, to avoid sampling in step with the program"},
    Flag{"count", 'c', FlagKind::kInteger, "N", "", "one sample every N events, instead of -F"},
    Flag{"call-graph",
         '\0',
         FlagKind::kText,
         "dwarf|fp|lbr|none",
         "dwarf",
         "how to find callers; dwarf (or cfi) unwinds a copy of the stack"},
    Flag{"branches",
         'b',
         FlagKind::kOptional,
         "any,u,...",
         "any",
         "also record the last branches of each sample (LBR), for `wick flow`"},
    Flag{"stack-bytes", '\0', FlagKind::kInteger, "N", "", "bytes of stack to copy, at most 63488"},
    kDurationFlag,
    Flag{"delay", '\0', FlagKind::kNumber, "SECONDS", "", "let the target run this long first"},
    kPinFlag,
    Flag{"cpu", 'C', FlagKind::kText, "CPUS", "", "sample on these CPUs only"},
    Flag{.name = "per-thread", .help = "one event per thread, as without privileges"},
    Flag{.name = "no-runtimes", .help = "native stacks only, without the functions of Python"},
    Flag{"marker",
         '\0',
         FlagKind::kText,
         "REGEX",
         "",
         "matching lines of the command's output become marks on the time axis; a number or time "
         "in (...) is a second clock"},
    Flag{"stop-on",
         '\0',
         FlagKind::kText,
         "REGEX",
         "",
         "stop at the first matching line of the command's output"},
    Flag{"raw",
         '\0',
         FlagKind::kOptional,
         "FILE",
         "perf.data",
         "also write the kernel's records, as perf does, for other programs"},
    Flag{.name = "quiet", .letter = 'q', .help = "no status line and no summary"},
};

constexpr std::array kOverheadFlags = {
    Flag{"overhead",
         '\0',
         FlagKind::kOptional,
         "N",
         "5",
         "run the command N times bare and N times recorded, alternating, and report the "
         "slow-down"},
    kRerunFlag,
};

Result<> plan_rate(const FlagValues& flags, RecordingPlan& plan) {
  if (flags.given("frequency") && flags.given("count")) {
    return fail_usage("-F sets samples per second, -c events per sample: use only one of them.");
  }
  std::vector<record::EventRequest>& events = plan.request.session.recorder.events;
  if (flags.given("count")) {
    if (flags.integer("count") == 0) {
      return fail_usage("-c takes a number of events above zero.");
    }
    for (record::EventRequest& event : events) {
      event.period = flags.integer("count");
    }
    return {};
  }
  capture::Frequency frequency = TRY(capture::parse_frequency(flags.text("frequency")));
  if (!frequency.note.empty()) {
    plan.notes.push_back(frequency.note);
  }
  capture::set_frequency(frequency.hertz, events);
  return {};
}

void warn_of_rate(RecordingPlan& plan) {
  std::string warning = capture::rate_warning(plan.request.session.recorder.events);
  if (!warning.empty()) {
    plan.notes.push_back(std::move(warning));
  }
}

Result<> plan_stacks(const FlagValues& flags, record::RecorderRequest& recorder) {
  TRY(capture::set_call_graph(flags.text("call-graph"), recorder));
  if (flags.given("branches")) {
    TRY(capture::set_branches(flags.text("branches"), recorder));
  }
  return flags.given("stack-bytes")
             ? capture::set_stack_bytes(flags.integer("stack-bytes"), recorder)
             : Result<>();
}

Result<std::shared_ptr<const Pattern>> watched(const FlagValues& flags, std::string_view name) {
  if (!flags.given(name)) {
    return nullptr;
  }
  return std::make_shared<const Pattern>(TRY(Pattern::compile(flags.text(name))));
}

Result<> plan_watch(const FlagValues& flags, record::SessionRequest& session) {
  session.watch.marker = TRY(watched(flags, "marker"));
  session.watch.stop_on = TRY(watched(flags, "stop-on"));
  if (session.watch.any() && session.launch.command.empty()) {
    return fail_usage(
        "--marker and --stop-on watch the output of a command: `wick record -p PID --marker REGEX "
        "-- COMMAND`.");
  }
  return {};
}

// A recording under the name of another kind of file would only be noticed later.
Result<> check_recording_name(const std::string& path) {
  if (path.ends_with(".data")) {
    return fail_usage(
        "A recording is a .wick file, and -o {} is the name of a file of perf. Use --raw={} for a "
        "file that "
        "perf and hotspot open.",
        terminal_text(path),
        terminal_text(path));
  }
  if (names_no_recording(path)) {
    return fail_usage(
        "A recording is a .wick file, and -o {} is the name of another kind of file. Record first, "
        "then `wick flame`, `wick view`, `wick report` and `wick convert` write such files; `wick "
        "run --svg` also draws a flame graph.",
        terminal_text(path));
  }
  return {};
}

}  // namespace

Result<std::vector<int>> cpu_list(const FlagValues& flags, std::string_view name) {
  Result<std::vector<int>> cpus = capture::parse_cpus(flags.text(name));
  return cpus ? cpus : fail_usage("--{} {}", name, cpus.error().message);
}

std::span<const Flag> recording_flags() {
  return kRecordingFlags;
}

std::span<const Flag> overhead_flags() {
  return kOverheadFlags;
}

Result<RecordingPlan> plan_recording(const Invocation& call) {
  const FlagValues& flags = call.flags;
  RecordingPlan plan;
  record::SessionRequest& session = plan.request.session;
  // This is first: without the priority, finding a process takes seconds on a saturated machine.
  session.launch.scheduling = record::current_scheduling();
  record::raise_priority(record::kUnwindPriority);  // capture restores it
  record::RecorderRequest& recorder = session.recorder;
  session.launch.command = call.words;
  recorder.everybody = flags.is_set("all-cpus");
  if (flags.given("pid")) {
    recorder.pids =
        TRY(capture::find_processes(fmt::format("{}", fmt::join(flags.texts("pid"), ","))));
    if (recorder.everybody) {
      recorder.everybody = false;
      plan.notes.push_back("-a with -p records only the process, on all CPUs.");
    }
  }
  recorder.cgroup = flags.text("cgroup");
  bool has_target = recorder.everybody || !recorder.pids.empty() || !recorder.cgroup.empty() ||
                    !call.words.empty();
  if (!has_target) {
    return fail_usage(
        "Nothing to record: use `wick record -- COMMAND`, -p PID, or -a for the whole machine.");
  }
  if (flags.given("event")) {
    recorder.events =
        TRY(record::parse_events(fmt::format("{}", fmt::join(flags.texts("event"), ","))));
  } else {
    recorder.events = {record::default_event()};
  }
  TRY(plan_rate(flags, plan));
  warn_of_rate(plan);
  TRY(plan_stacks(flags, recorder));
  if (flags.given("pin")) {
    session.launch.pin = TRY(cpu_list(flags, "pin"));
  }
  if (flags.given("cpu")) {
    recorder.cpus = TRY(cpu_list(flags, "cpu"));
  }
  recorder.per_thread = flags.is_set("per-thread");
  plan.request.reads_interpreters = !flags.is_set("no-runtimes");
  session.duration_s = flags.given("duration") ? flags.number("duration") : 0;
  session.delay_s = flags.given("delay") ? flags.number("delay") : 0;
  if (flags.given("output")) {
    plan.request.path = flags.text("output");
    TRY(check_recording_name(plan.request.path));
  } else {
    plan.request.path = "profile.wick";
    plan.request.older = capture::OlderFile::kRenamed;
  }
  if (plan.request.path == "-" && stdout_is_terminal()) {
    return fail_usage("Refusing to write a binary profile to a terminal; use -o FILE or a pipe.");
  }
  if (plan.request.path == "-") {
    session.launch.outputs[0] = STDERR_FILENO;  // standard output carries the profile
  }
  plan.quiet = flags.is_set("quiet");
  TRY(plan_watch(flags, session));
  if (flags.given("raw")) {
    plan.request.raw = flags.text("raw");
  }
  return plan;
}

}  // namespace wick

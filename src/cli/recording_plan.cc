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

namespace wick {
namespace {

constexpr uint64_t kDefaultFrequency = 997;

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
    Flag{"stack-bytes", '\0', FlagKind::kInteger, "N", "", "bytes of stack to copy, at most 63488"},
    kDurationFlag,
    Flag{"delay", '\0', FlagKind::kNumber, "SECONDS", "", "let the target run this long first"},
    kPinFlag,
    Flag{"cpu", 'C', FlagKind::kText, "CPUS", "", "sample on these CPUs only"},
    Flag{"per-thread",
         '\0',
         FlagKind::kSwitch,
         "",
         "",
         "one event per thread, as without privileges"},
    Flag{"marker",
         '\0',
         FlagKind::kText,
         "REGEX",
         "",
         "matching lines of the command's output become marks on the time axis; a number in (...) "
         "is a second clock"},
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
    Flag{"quiet", 'q', FlagKind::kSwitch, "", "", "no status line and no summary"},
};

constexpr std::array kOverheadFlags = {
    Flag{"overhead",
         '\0',
         FlagKind::kOptional,
         "N",
         "5",
         "run the command N times bare and N times recorded, alternating, and report the "
         "slow-down"},
};

Result<> plan_rate(const FlagValues& flags, RecordingPlan& plan) {
  uint64_t most = static_cast<uint64_t>(
      record::read_number("/proc/sys/kernel/perf_event_max_sample_rate").value_or(100'000));
  if (flags.given("frequency") && flags.given("count")) {
    return fail_usage("-F sets samples per second, -c events per sample: use only one of them.");
  }
  uint64_t frequency = kDefaultFrequency;
  if (flags.text("frequency") == "max") {
    frequency = most;
  } else if (std::optional<uint64_t> number = parse_number<uint64_t>(flags.text("frequency"));
             number && *number > 0) {
    frequency = *number;
  } else {
    return fail_usage("-F takes samples per second, or max, not \"{}\".",
                      terminal_text(flags.text("frequency")));
  }
  if (frequency > most) {
    plan.notes.push_back(fmt::format(
        "The kernel allows {} samples per second, so wick uses {} instead of {}; as root, `sysctl "
        "kernel.perf_event_max_sample_rate={}` allows more.",
        most,
        most,
        frequency,
        frequency));
    frequency = most;
  }
  for (record::EventRequest& event : plan.session.recorder.events) {
    if (flags.given("count")) {
      if (flags.integer("count") == 0) {
        return fail_usage("-c takes a number of events above zero.");
      }
      event.period = flags.integer("count");
    } else if (event.type == PERF_TYPE_TRACEPOINT) {
      event.period = 1;
    } else if (event.type == PERF_TYPE_SOFTWARE && !event.is_clock()) {
      event.period = 1;  // faults and switches are few, and each one counts
    } else {
      event.frequency = frequency;
    }
  }
  return {};
}

// "dwarf,8192", "fp", "lbr": as perf spells it.
Result<> plan_stacks(const FlagValues& flags, record::RecorderRequest& recorder) {
  std::string_view text = flags.text("call-graph");
  std::string_view way = text.substr(0, text.find(','));
  record::SampleContents& contents = recorder.contents;
  uint64_t bytes = record::kMostStackBytes;
  if (way == "dwarf" || way == "cfi") {
    if (way.size() < text.size()) {
      std::optional<uint64_t> number = parse_number<uint64_t>(text.substr(way.size() + 1));
      if (!number) {
        return fail_usage("--call-graph dwarf,N takes a number of bytes.");
      }
      bytes = *number;
      recorder.stack_bytes_given = true;
    }
  } else if (way == "fp") {
    contents.stacks = record::StackSource::kFramePointer;
  } else if (way == "lbr") {
    contents.stacks = record::StackSource::kBranches;
  } else if (way == "none" || way == "no") {
    contents.stacks = record::StackSource::kNone;
  } else {
    return fail_usage("--call-graph takes dwarf, cfi, fp, lbr or none, not \"{}\".",
                      terminal_text(way));
  }
  if (flags.given("stack-bytes")) {
    bytes = flags.integer("stack-bytes");
    recorder.stack_bytes_given = true;
  }
  if (bytes < 256) {
    return fail_usage("A copy of {} bytes of stack is too small; use at least 1024.", bytes);
  }
  contents.stack_bytes =
      static_cast<uint32_t>(std::min<uint64_t>(bytes, record::kMostStackBytes)) / 8 * 8;
  contents.raw = std::ranges::any_of(recorder.events, [](const record::EventRequest& event) {
    return event.type == PERF_TYPE_TRACEPOINT;
  });
  return {};
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

}  // namespace

Result<std::vector<int>> cpu_list(const FlagValues& flags, std::string_view name) {
  std::optional<std::vector<int>> cpus = record::parse_cpu_list(flags.text(name));
  if (!cpus || cpus->empty()) {
    return fail_usage(
        "--{} takes CPUs such as 0-3,8, not \"{}\".", name, terminal_text(flags.text(name)));
  }
  std::vector<int> online = record::online_cpus();
  for (int cpu : *cpus) {
    if (!std::ranges::binary_search(online, cpu)) {
      return fail_usage(
          "--{}: this machine has no CPU {}; the last one is {}.", name, cpu, online.back());
    }
  }
  return *cpus;
}

Result<std::vector<int32_t>> find_processes(const std::string& text) {
  std::vector<int32_t> pids;
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    if (std::optional<int32_t> pid = parse_number<int32_t>(word); pid && *pid > 0) {
      if (!record::is_alive(*pid)) {
        return fail("There is no process {}; `ps -e` lists all processes.", *pid);
      }
      pids.push_back(*pid);
      continue;
    }
    std::vector<int32_t> named = record::processes_named(word);
    if (named.empty()) {
      return fail("No process is named \"{}\"; `ps -e` lists the names, and -p also takes numbers.",
                  terminal_text(word));
    }
    pids.insert(pids.end(), named.begin(), named.end());
  }
  return pids;
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
  // First of all: on a saturated machine even looking up a process takes seconds otherwise.
  plan.session.launch.scheduling = record::current_scheduling();
  record::raise_priority(record::kUnwindPriority);  // until the file is there (recording.cc)
  record::RecorderRequest& recorder = plan.session.recorder;
  plan.session.launch.command = call.words;
  recorder.everybody = flags.is_set("all-cpus");
  if (flags.given("pid")) {
    recorder.pids = TRY(find_processes(fmt::format("{}", fmt::join(flags.texts("pid"), ","))));
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
  TRY(plan_stacks(flags, recorder));
  if (flags.given("pin")) {
    plan.session.launch.pin = TRY(cpu_list(flags, "pin"));
  }
  if (flags.given("cpu")) {
    recorder.cpus = TRY(cpu_list(flags, "cpu"));
  }
  recorder.per_thread = flags.is_set("per-thread");
  plan.session.duration_s = flags.given("duration") ? flags.number("duration") : 0;
  plan.session.delay_s = flags.given("delay") ? flags.number("delay") : 0;
  plan.output_given = flags.given("output");
  plan.output = plan.output_given ? flags.text("output") : "profile.wick";
  if (plan.output == "-" && stdout_is_terminal()) {
    return fail_usage("Refusing to write a binary profile to a terminal; use -o FILE or a pipe.");
  }
  if (plan.output == "-") {
    plan.session.launch.outputs[0] = STDERR_FILENO;  // ours carries the profile
  }
  plan.quiet = flags.is_set("quiet");
  TRY(plan_watch(flags, plan.session));
  if (flags.given("raw")) {
    plan.raw = flags.text("raw");
  }
  return plan;
}

}  // namespace wick

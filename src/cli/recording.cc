#include "cli/recording.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "analyze/summary.h"
#include "base/escape.h"
#include "base/output.h"
#include "base/parse_number.h"
#include "base/pattern.h"
#include "cli/show.h"
#include "cli/tty.h"
#include "formats/native/writer.h"
#include "formats/perf_data/writer.h"
#include "pipeline/pipeline.h"
#include "profile/validate.h"
#include "record/event_names.h"
#include "record/machine.h"
#include "views/numbers.h"

namespace wick {
namespace {

constexpr uint64_t kDefaultFrequency = 997;

constexpr std::array kFlags = {
    Flag{"output", 'o', FlagKind::kPath, "FILE", "", "the file to write (default ./profile.wick)"},
    Flag{"pid",
         'p',
         FlagKind::kText,
         "PID|NAME,...",
         "",
         "processes that run already, and their children"},
    Flag{"all-cpus", 'a', FlagKind::kSwitch, "", "", "everything that runs on this machine"},
    Flag{"cgroup", 'G', FlagKind::kPath, "DIR", "", "everything in this cgroup"},
    Flag{"event",
         'e',
         FlagKind::kText,
         "NAME,...",
         "",
         "what to count (default cycles, or cpu-clock)"},
    Flag{"frequency",
         'F',
         FlagKind::kText,
         "HZ|max",
         "997",
         "samples a second; 997 is prime, so that it does not march in step with the program"},
    Flag{"count", 'c', FlagKind::kInteger, "N", "", "a sample each N events, instead of -F"},
    Flag{"call-graph",
         '\0',
         FlagKind::kText,
         "dwarf|fp|lbr|none",
         "dwarf",
         "where callers come from; dwarf (or cfi) unwinds a copy of the stack"},
    Flag{"stack-bytes", '\0', FlagKind::kInteger, "N", "", "how much stack to copy, at most 63488"},
    Flag{"duration", '\0', FlagKind::kNumber, "SECONDS", "", "stop after this time"},
    Flag{"delay", '\0', FlagKind::kNumber, "SECONDS", "", "let the target run this long first"},
    Flag{"pin", '\0', FlagKind::kText, "CPUS", "", "run the command on these CPUs only"},
    Flag{"cpu", 'C', FlagKind::kText, "CPUS", "", "sample on these CPUs only"},
    Flag{"per-thread",
         '\0',
         FlagKind::kSwitch,
         "",
         "",
         "an event for each thread, as without privilege"},
    Flag{"marker",
         '\0',
         FlagKind::kText,
         "REGEX",
         "",
         "lines of the command's output that match become marks on the time axis; a number in "
         "(...) is a second clock"},
    Flag{"stop-on",
         '\0',
         FlagKind::kText,
         "REGEX",
         "",
         "end with the first line of the command's output that matches"},
    Flag{"raw",
         '\0',
         FlagKind::kOptional,
         "FILE",
         "perf.data",
         "write the kernel's records, too, as perf does, for other programs"},
    Flag{"quiet", 'q', FlagKind::kSwitch, "", "", "no status line and no summary"},
};

constexpr std::array kOverheadFlags = {
    Flag{"overhead",
         '\0',
         FlagKind::kOptional,
         "N",
         "5",
         "run the command N times bare and N times recorded, in turns, and tell the slow-down"},
};

// ---- Flags to a plan ----------------------------------------------------------------------------

Result<std::vector<int>> cpu_list(const FlagValues& flags, std::string_view name) {
  std::optional<std::vector<int>> cpus = record::parse_cpu_list(flags.text(name));
  if (!cpus || cpus->empty()) {
    return fail_usage(
        "--{} takes CPUs such as 0-3,8, not \"{}\".", name, terminal_text(flags.text(name)));
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
        return fail("There is no process {}.", *pid);
      }
      pids.push_back(*pid);
      continue;
    }
    std::vector<int32_t> named = record::processes_named(word);
    if (named.empty()) {
      return fail("No process is called \"{}\".", terminal_text(word));
    }
    pids.insert(pids.end(), named.begin(), named.end());
  }
  return pids;
}

Result<> plan_rate(const FlagValues& flags, RecordingPlan& plan) {
  uint64_t most = static_cast<uint64_t>(
      record::read_number("/proc/sys/kernel/perf_event_max_sample_rate").value_or(100'000));
  uint64_t frequency = kDefaultFrequency;
  if (flags.text("frequency") == "max") {
    frequency = most;
  } else if (std::optional<uint64_t> number = parse_number<uint64_t>(flags.text("frequency"));
             number && *number > 0) {
    frequency = *number;
  } else {
    return fail_usage("-F takes samples a second, or max, not \"{}\".",
                      terminal_text(flags.text("frequency")));
  }
  if (frequency > most) {
    plan.notes.push_back(fmt::format(
        "The kernel allows {} samples a second, so it is {} instead of {}; as root, `sysctl "
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
    return fail_usage("A copy of {} bytes of stack is too small; 1024 is the least that helps.",
                      bytes);
  }
  contents.stack_bytes =
      static_cast<uint32_t>(std::min<uint64_t>(bytes, record::kMostStackBytes)) / 8 * 8;
  contents.raw = std::ranges::any_of(recorder.events, [](const record::EventRequest& event) {
    return event.type == PERF_TYPE_TRACEPOINT;
  });
  return {};
}

// An older ./profile.wick becomes ./profile.1.wick, or the next number that is free.
void keep_older(const std::string& path) {
  if (::access(path.c_str(), F_OK) != 0) {
    return;
  }
  std::string stem = path.substr(0, path.rfind('.'));
  for (int number = 1; number < 100'000; ++number) {
    std::string kept = fmt::format("{}.{}.wick", stem, number);
    if (::link(path.c_str(), kept.c_str()) == 0) {
      ::unlink(path.c_str());
      std::fprintf(stderr, "wick: the older %s is now %s.\n", path.c_str(), kept.c_str());
      return;
    }
    if (errno != EEXIST) {
      std::rename(path.c_str(), kept.c_str());  // a file system without hard links
      return;
    }
  }
}

// As perf does it.
void keep_older_raw(const std::string& path) {
  if (::access(path.c_str(), F_OK) == 0) {
    std::rename(path.c_str(), (path + ".old").c_str());
  }
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

// ---- While it runs ------------------------------------------------------------------------------

double own_cpu_seconds() {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

class FileWatcher : public record::SessionWatcher {
 public:
  FileWatcher(Pipeline& pipeline, Output& out, bool shows_status)
      : pipeline_(pipeline), out_(out), writer_(out), shows_status_(shows_status) {}
  ~FileWatcher() override { wipe(); }
  FileWatcher(const FileWatcher&) = delete;
  FileWatcher& operator=(const FileWatcher&) = delete;

  bool on_tick(const record::SessionStatus& status) override {
    if (status.seconds - flushed_ >= 0.8) {
      flushed_ = status.seconds;
      flush();
      show(status);
    }
    return out_.error() == 0 && problem_.empty();
  }

  // The last rows, with the names that are known now.
  Result<> finish(const Profile& profile) {
    wipe();
    if (!problem_.empty()) {
      return fail("{}", problem_);
    }
    writer_.rewrite(native::Table::kFrames);
    TRY(writer_.finish(profile));
    return out_.finish();
  }

 private:
  void flush() {
    pipeline_.with_profile_so_far([&](const Profile& profile) {
      for (; judged_ < profile.samples.size(); ++judged_) {
        complete_ += profile.samples.ending[judged_] == Ending::kComplete ? 1U : 0U;
      }
      if (Result<> written = writer_.append(profile); !written) {
        problem_ = written.error().message;
      }
    });
    out_.flush();
  }

  void show(const record::SessionStatus& status) {
    if (!shows_status_ || status.seconds < 0.9) {
      return;
    }
    double interval = status.seconds - shown_at_;
    double rate = static_cast<double>(status.samples - shown_samples_) / interval;
    double cpu = own_cpu_seconds();
    std::fprintf(
        stderr,
        "\r\x1b[K%s",
        fmt::format("{:.0f} s, {} samples ({:.0f}/s), {} lost, {:.1f} % of the stacks complete, "
                    "{:.1f} MB, wick uses {:.1f} % of a CPU",
                    status.seconds,
                    count_text(static_cast<double>(status.samples)),
                    rate,
                    status.lost,
                    judged_ > 0
                        ? 100 * static_cast<double>(complete_) / static_cast<double>(judged_)
                        : 100.0,
                    static_cast<double>(out_.size()) / 1e6,
                    100 * (cpu - shown_cpu_) / interval)
            .c_str());
    shown_ = true;
    shown_at_ = status.seconds;
    shown_samples_ = status.samples;
    shown_cpu_ = cpu;
  }
  void wipe() {
    if (shown_) {
      std::fputs("\r\x1b[K", stderr);
      shown_ = false;
    }
  }

  Pipeline& pipeline_;
  Output& out_;
  native::NativeWriter writer_;
  bool shows_status_;
  bool shown_ = false;
  size_t judged_ = 0;  // rows whose stacks have been counted
  uint64_t complete_ = 0;
  double flushed_ = 0;
  double shown_at_ = 0;
  uint64_t shown_samples_ = 0;
  double shown_cpu_ = 0;
  std::string problem_;
};

std::string command_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += text.empty() ? "" : " ";
    text += word;
  }
  return text;
}

void tell_facts(const RecordingPlan& plan, EventSink& sink) {
  utsname host = {};
  if (::uname(&host) == 0) {
    sink.on_fact("host", host.nodename);
    sink.on_fact("kernel", host.release);
    sink.on_fact("architecture", host.machine);
  }
  sink.on_fact("recorded by", "wick " WICK_VERSION);
  if (!plan.session.launch.command.empty()) {
    sink.on_fact("command", command_text(plan.session.launch.command));
  }
  timespec wall = {};
  ::clock_gettime(CLOCK_REALTIME, &wall);
  std::tm parts = {};
  ::gmtime_r(&wall.tv_sec, &parts);
  std::array<char, 32> text = {};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  sink.on_fact("started", text.data());
  int64_t monotonic = static_cast<int64_t>(record::monotonic_ns());
  int64_t realtime = int64_t{wall.tv_sec} * 1'000'000'000 + wall.tv_nsec;
  sink.on_fact("clock", fmt::format("monotonic; {} ns behind the calendar", realtime - monotonic));
}

void tell_end(const record::SessionEnd& end, EventSink& sink) {
  sink.on_fact("events", end.per_thread ? "one for each thread on each CPU" : "one for each CPU");
  if (end.cpu_time) {
    sink.on_fact(
        "CPU time of the target",
        fmt::format("{:.3f} s ({:.3f} s user, {:.3f} s kernel)",
                    static_cast<double>(end.cpu_time->user_ns + end.cpu_time->system_ns) / 1e9,
                    static_cast<double>(end.cpu_time->user_ns) / 1e9,
                    static_cast<double>(end.cpu_time->system_ns) / 1e9));
  }
  if (!end.sees_kernel) {
    sink.on_lost({.count = 0,
                  .what = "samples of the kernel",
                  .reason = "without privilege only the program itself is seen",
                  .notice = true});
  }
}

// ---- At the end ---------------------------------------------------------------------------------

void say_what_came_of_it(const Profile& profile,
                         const record::SessionEnd& end,
                         const std::string& path,
                         uint64_t bytes) {
  uint64_t complete = 0;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    complete += profile.samples.ending[row] == Ending::kComplete ? 1U : 0U;
  }
  double samples = static_cast<double>(profile.samples.size());
  std::fprintf(
      stderr,
      "wick: %s\n",
      fmt::format("{} samples in {:.1f} s, {:.1f} % of the stacks complete; wrote {} ({:.1f} KB).",
                  count_text(samples),
                  end.seconds,
                  samples > 0 ? 100 * static_cast<double>(complete) / samples : 100.0,
                  terminal_text(path),
                  static_cast<double>(bytes) / 1e3)
          .c_str());
  std::vector<LossLine> losses = loss_lines(profile);
  print_loss_and_notes(losses, {});
}

int status_of(const record::SessionEnd& end) {
  if (end.child) {
    return end.child->status;
  }
  return kDone;
}

}  // namespace

std::span<const Flag> recording_flags() {
  return kFlags;
}

std::span<const Flag> overhead_flags() {
  return kOverheadFlags;
}

Result<RecordingPlan> plan_recording(const Invocation& call) {
  const FlagValues& flags = call.flags;
  RecordingPlan plan;
  // First of all: on a saturated machine even looking up a process takes seconds otherwise.
  plan.session.launch.scheduling = record::current_scheduling();
  record::raise_priority(record::kUnwindPriority);
  record::RecorderRequest& recorder = plan.session.recorder;
  plan.session.launch.command = call.words;
  recorder.everybody = flags.is_set("all-cpus");
  if (flags.given("pid")) {
    recorder.pids = TRY(find_processes(flags.text("pid")));
    if (recorder.everybody) {
      recorder.everybody = false;
      plan.notes.push_back("-a with -p records the process alone, on all CPUs.");
    }
  }
  recorder.cgroup = flags.text("cgroup");
  bool has_target = recorder.everybody || !recorder.pids.empty() || !recorder.cgroup.empty() ||
                    !call.words.empty();
  if (!has_target) {
    return fail_usage(
        "Record what? `wick record -- COMMAND`, -p PID, or -a for the whole machine.");
  }
  if (flags.given("event")) {
    recorder.events = TRY(record::parse_events(flags.text("event")));
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
  plan.quiet = flags.is_set("quiet");
  TRY(plan_watch(flags, plan.session));
  if (flags.given("raw")) {
    plan.raw = flags.text("raw");
  }
  return plan;
}

namespace {

// The perf.data beside the profile, if there is to be one.
class RawFile {
 public:
  static Result<std::unique_ptr<RawFile>> open(const RecordingPlan& plan) {
    keep_older_raw(plan.raw);
    Output out = TRY(Output::growing(plan.raw));
    return std::unique_ptr<RawFile>(new RawFile(std::move(out), plan));
  }
  perf_data::Writer& writer() { return writer_; }
  Result<> finish() {
    writer_.finish();
    return out_.finish();
  }

 private:
  RawFile(Output out, const RecordingPlan& plan)
      : out_(std::move(out)), writer_(out_, host(plan)) {}

  static perf_data::WrittenHost host(const RecordingPlan& plan) {
    utsname name = {};
    ::uname(&name);
    perf_data::WrittenHost host{.name = name.nodename,
                                .release = name.release,
                                .architecture = name.machine,
                                .version = "wick " WICK_VERSION,
                                .command_line = {"wick", "record"},
                                .cpus = static_cast<uint32_t>(record::online_cpus().size())};
    const std::vector<std::string>& command = plan.session.launch.command;
    host.command_line.insert(host.command_line.end(), command.begin(), command.end());
    return host;
  }

  Output out_;
  perf_data::Writer writer_;
};

}  // namespace

Result<Recorded> record_to_file(const RecordingPlan& plan) {
  for (const std::string& note : plan.notes) {
    std::fprintf(stderr, "wick: %s\n", note.c_str());
  }
  if (!plan.output_given) {
    keep_older(plan.output);
  }
  Output out = TRY(Output::growing(plan.output));
  NameSources sources{.files = default_file_search(), .kallsyms = {}};
  sources.files.live = true;
  // Inlined functions get frames of their own, which makes other stacks of what is in the file
  // already: they need the file to be written anew.
  sources.inlines = false;
  Pipeline pipeline(sources, {.stitches = true});
  FileWatcher watcher(pipeline, out, !plan.quiet && stderr_is_terminal());
  tell_facts(plan, pipeline);
  record::SessionRequest session = plan.session;
  std::unique_ptr<RawFile> raw;
  if (!plan.raw.empty()) {
    raw = TRY(RawFile::open(plan));
    session.recorder.raw = &raw->writer();
  }
  record::SessionEnd end = TRY(record::run_session(session, pipeline, watcher));
  Recorded recorded{.path = plan.output, .profile = {}, .end = end};
  if (end.exec_error != 0) {
    std::fprintf(stderr,
                 "wick: %s cannot be run: %s.\n",
                 terminal_text(plan.session.launch.command[0]).c_str(),
                 std::strerror(end.exec_error));
    ::unlink(plan.output.c_str());
    if (raw != nullptr) {
      ::unlink(plan.raw.c_str());
    }
    recorded.status = end.exec_error == ENOENT ? kNotFound : kCannotExecute;
    return recorded;
  }
  tell_end(end, pipeline);
  Profile profile = pipeline.finish();
  TRY(watcher.finish(profile));
  if (raw != nullptr) {
    TRY(raw->finish());
  }
  if (!plan.quiet) {
    say_what_came_of_it(profile, end, plan.output, out.size());
    if (raw != nullptr) {
      std::fprintf(stderr,
                   "wick: %s holds the same records for perf and its kin.\n",
                   terminal_text(plan.raw).c_str());
    }
  }
  recorded.status = status_of(end);
  if (plan.keep_profile) {
    recorded.profile = std::move(profile);
    recorded.has_profile = true;
  }
  return recorded;
}

}  // namespace wick

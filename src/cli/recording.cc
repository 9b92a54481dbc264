#include "cli/recording.h"

#include <array>
#include <cerrno>
#include <csignal>
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
#include "cli/recording_file.h"
#include "cli/show.h"
#include "cli/tty.h"
#include "formats/perf_data/writer.h"
#include "pipeline/pipeline.h"
#include "profile/validate.h"
#include "record/machine.h"
#include "views/numbers.h"

namespace wick {
namespace {

// ---- Before it starts ---------------------------------------------------------------------------

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
      std::fprintf(stderr, "wick: renamed the older %s to %s.\n", path.c_str(), kept.c_str());
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

// The perf.data beside the profile, if there is to be one.
class RawFile {
 public:
  static Result<std::unique_ptr<RawFile>> open(const RecordingPlan& plan) {
    Output out = TRY(Output::growing(plan.raw));
    return std::unique_ptr<RawFile>(new RawFile(std::move(out), plan));
  }
  Result<> appear() {
    if (out_.can_be_replaced()) {
      keep_older_raw(path_);
    }
    return out_.appear();
  }
  perf_data::Writer& writer() { return writer_; }
  Result<> finish() {
    writer_.finish();
    return out_.finish();
  }

 private:
  RawFile(Output out, const RecordingPlan& plan)
      : path_(plan.raw), out_(std::move(out)), writer_(out_, host(plan)) {}

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

  std::string path_;
  Output out_;
  perf_data::Writer writer_;
};

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
  FileWatcher(const RecordingPlan& plan, Pipeline& pipeline, RecordingFile& file, RawFile* raw)
      : plan_(plan),
        pipeline_(pipeline),
        file_(file),
        raw_(raw),
        shows_status_(!plan.quiet && stderr_is_terminal()) {}
  ~FileWatcher() override { wipe(); }
  FileWatcher(const FileWatcher&) = delete;
  FileWatcher& operator=(const FileWatcher&) = delete;

  void on_start() override {
    appear();
    if (problem_.empty()) {
      flush();  // a file that opens, whenever wick is killed
    }
  }

  // Not before the start: what had the names shall not go for a program that cannot be run.
  void appear() {
    has_appeared_ = true;
    if (!plan_.output_given && plan_.keeps_older) {
      keep_older(plan_.output);
    }
    Result<> appeared = file_.appear();
    if (appeared && raw_ != nullptr) {
      appeared = raw_->appear();
    }
    if (!appeared) {
      problem_ = appeared.error().message;
    }
  }

  bool on_tick(const record::SessionStatus& status) override {
    if (status.seconds - flushed_ >= 0.8) {
      flushed_ = status.seconds;
      flush();
      show(status);
    }
    bool goes_on = file_.error() == 0 && problem_.empty();
    if (!goes_on) {
      wipe();
      std::fprintf(stderr,
                   "wick: cannot write to %s: recording stopped. The program keeps running.\n",
                   terminal_text(plan_.output).c_str());
    }
    return goes_on;
  }

  Result<> finish(const Profile& profile) {
    wipe();
    if (!has_appeared_) {
      appear();  // the program ended before sampling began
    }
    if (!problem_.empty()) {
      return fail("{}", problem_);
    }
    return file_.finish(profile);
  }

 private:
  void flush() {
    pipeline_.with_profile_so_far([&](const Profile& profile) {
      for (; judged_ < profile.samples.size(); ++judged_) {
        complete_ += profile.samples.ending[judged_] == Ending::kComplete ? 1U : 0U;
      }
      if (Result<> written = file_.append(profile); !written) {
        problem_ = written.error().message;
      }
    });
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
                    static_cast<double>(file_.bytes()) / 1e6,
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

  const RecordingPlan& plan_;
  Pipeline& pipeline_;
  RecordingFile& file_;
  RawFile* raw_;  // or null
  bool shows_status_;
  bool has_appeared_ = false;
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
    sink.on_lost(
        {.count = 0,
         .what = "samples of the kernel",
         .reason =
             "without privileges wick sees only the program itself, not the kernel's work for it",
         .notice = true});
  }
}

// ---- At the end ---------------------------------------------------------------------------------

// Where no stacks were asked for, none of them is incomplete.
std::string stacks_text(const Profile& profile, record::StackSource stacks) {
  if (stacks == record::StackSource::kNone) {
    return "without stacks";
  }
  uint64_t complete = 0;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    complete += profile.samples.ending[row] == Ending::kComplete ? 1U : 0U;
  }
  double samples = static_cast<double>(profile.samples.size());
  return fmt::format("{:.1f} % of the stacks complete",
                     samples > 0 ? 100 * static_cast<double>(complete) / samples : 100.0);
}

// Whether most stacks end after a frame or two of the program's: nobody can be called by so few.
bool lacks_frame_pointers(const Profile& profile) {
  constexpr int kFew = 2;
  uint64_t short_stacks = 0;
  uint64_t stacks = 0;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    int user_frames = 0;
    StackId stack = profile.samples.stack[row];
    for (; stack != kEmptyStack && user_frames <= kFew; stack = profile.stacks.parent(stack)) {
      user_frames += profile.frames[profile.stacks.frame(stack)].mode == Mode::kUser ? 1 : 0;
    }
    stacks += user_frames > 0 ? 1U : 0U;
    short_stacks += user_frames > 0 && user_frames <= kFew ? 1U : 0U;
  }
  return short_stacks > stacks / 2;
}

void say_what_came_of_it(const Profile& profile,
                         record::StackSource stacks,
                         const record::SessionEnd& end,
                         const std::string& path,
                         uint64_t bytes) {
  size_t samples = profile.samples.size();
  std::fprintf(stderr,
               "wick: %s\n",
               fmt::format("{} {} in {:.1f} s, {}; wrote {} ({:.1f} KB).",
                           count_text(static_cast<double>(samples)),
                           samples == 1 ? "sample" : "samples",
                           end.seconds,
                           stacks_text(profile, stacks),
                           terminal_text(path),
                           static_cast<double>(bytes) / 1e3)
                   .c_str());
  std::vector<std::string> notes;
  if (stacks == record::StackSource::kFramePointer && lacks_frame_pointers(profile)) {
    notes.emplace_back(
        "Most stacks have only one or two frames: the program seems to be built without frame "
        "pointers. Leave out --call-graph fp to get whole stacks without frame pointers.");
  }
  print_loss_and_notes(loss_lines(profile), notes);
}

// A program that ends by the signal that --duration or --stop-on had wick send has done what was
// asked for.
int status_of(const record::SessionEnd& end) {
  constexpr int kTerminated = 128 + SIGTERM;
  bool was_told_to =
      end.reason == record::EndReason::kDuration || end.reason == record::EndReason::kOutput;
  if (!end.child || (was_told_to && end.child->status == kTerminated)) {
    return kDone;
  }
  return end.child->status;
}

}  // namespace

Result<Recorded> record_to_file(const RecordingPlan& plan) {
  for (const std::string& note : plan.notes) {
    std::fprintf(stderr, "wick: %s\n", note.c_str());
  }
  record::HeldSignals signals;
  std::unique_ptr<RecordingFile> file = TRY(RecordingFile::open(plan.output));
  NameSources sources{
      .files = default_file_search(), .kallsyms = {}, .kept = KeptFiles::of_this_user()};
  sources.files.live = true;
  Pipeline pipeline(sources, {.stitches = true});
  tell_facts(plan, pipeline);
  record::SessionRequest session = plan.session;
  std::unique_ptr<RawFile> raw;
  if (!plan.raw.empty()) {
    raw = TRY(RawFile::open(plan));
    session.recorder.raw = &raw->writer();
  }
  session.recorder.feedback = &pipeline;
  FileWatcher watcher(plan, pipeline, *file, raw.get());
  record::SessionEnd end = TRY(record::run_session(session, pipeline, watcher, signals));
  Recorded recorded{.path = plan.output, .profile = {}, .end = end};
  if (end.exec_error != 0) {
    std::fprintf(stderr,
                 "wick: cannot run %s: %s.\n",
                 terminal_text(plan.session.launch.command[0]).c_str(),
                 std::strerror(end.exec_error));
    recorded.status = end.exec_error == ENOENT ? kNotFound : kCannotExecute;
    return recorded;
  }
  tell_end(end, pipeline);
  Profile profile = pipeline.finish();
  TRY(watcher.finish(profile));
  record::set_scheduling(session.launch.scheduling);
  if (raw != nullptr) {
    TRY(raw->finish());
  }
  if (!plan.quiet) {
    say_what_came_of_it(
        profile, plan.session.recorder.contents.stacks, end, plan.output, file->bytes());
    if (raw != nullptr) {
      std::fprintf(stderr,
                   "wick: raw records written to %s (readable by perf, hotspot and others).\n",
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

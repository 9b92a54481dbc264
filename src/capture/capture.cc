// SPDX-License-Identifier: Apache-2.0
// One recording: the session delivers events to the pipeline, and several times a second the
// watcher appends the new rows of the pipeline to the file.
//
//     session (record) --events--> pipeline --profile so far--> recording file
//            '--ticks--> Capture::on_tick --'--status--> Calls
//                                           '--window--> namer (a thread) --> Calls
//
// Invariant: nothing on the disk changes before the events are open. So a program that cannot be
// run does not cost an older recording its name.
#include "capture/capture.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/batch_worker.h"
#include "base/escape.h"
#include "base/mapped_file.h"
#include "capture/facts.h"
#include "capture/file_pages.h"
#include "capture/raw_file.h"
#include "capture/recording_file.h"
#include "pipeline/pipeline.h"
#include "record/machine.h"

namespace wick::capture {
namespace {

// With two rounds of the drain (record/drain.h) about a second.
constexpr double kSecondsBetweenWrites = 0.7;

double own_cpu_seconds() {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// wick runs before ordinary programs until the file is complete.
class Priority {
 public:
  explicit Priority(const record::Scheduling& usual) : usual_(usual) {
    record::raise_priority(record::kUnwindPriority);
  }
  ~Priority() { record::set_scheduling(usual_); }
  Priority(const Priority&) = delete;
  Priority& operator=(const Priority&) = delete;

 private:
  record::Scheduling usual_;
};

// The share of complete stacks, counted as rows are added to a window, over all windows.
class CompleteStacks {
 public:
  void count(const Profile& so_far) {
    for (; open_.rows < so_far.samples.size(); ++open_.rows) {
      open_.complete += so_far.samples.ending[open_.rows] == StackEnd::kComplete ? 1U : 0U;
    }
  }
  // Counts the window again, since its stacks may have been completed, and starts the next one.
  void finish(const Profile& window) {
    open_ = {};
    count(window);
    finished_ = {finished_.rows + open_.rows, finished_.complete + open_.complete};
    open_ = {};
  }
  double share() const {
    size_t rows = finished_.rows + open_.rows;
    size_t complete = finished_.complete + open_.complete;
    return rows > 0 ? static_cast<double>(complete) / static_cast<double>(rows) : 1;
  }

 private:
  struct Counts {
    size_t rows = 0;
    size_t complete = 0;
  };
  Counts open_;
  Counts finished_;
};

// Whether most stacks have one or two frames of the program: too few for any real program.
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

// Without a target a recording would see nothing and never end; without an event, or of a process
// that does not exist, it would be empty.
Result<> check_target(const record::SessionRequest& session) {
  const record::RecorderRequest& recorder = session.recorder;
  bool has_program = !session.launch.command.empty() || session.launch.body;
  if (!has_program && recorder.pids.empty() && !recorder.everybody && recorder.cgroup.empty()) {
    return fail("There is nothing to record: neither a command nor a process.");
  }
  if (recorder.events.empty()) {
    return fail(
        "There is no event to record; request_to_run() makes a request with the usual one.");
  }
  return check_processes(recorder.pids);
}

// A program that ends because of the signal that wick sent for --duration or --stop-on has
// succeeded. A signal that ended the recording, and not the program, has the status of a shell.
int status_of(const record::SessionEnd& end) {
  constexpr int kTerminated = record::shell_status(SIGTERM);
  bool was_asked_to =
      end.reason == record::EndReason::kDuration || end.reason == record::EndReason::kOutput;
  bool as_asked = end.child && was_asked_to && end.child->status == kTerminated;
  if (end.reason == record::EndReason::kSignal && !end.child) {
    return record::shell_status(end.stopped_by);
  }
  return !end.child || as_asked ? 0 : end.child->status;
}

// Whether two paths lead to one file, whether or not it exists.
bool is_same_path(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(a, ignored) ==
         std::filesystem::weakly_canonical(b, ignored);
}

class Capture : public record::SessionWatcher {
 public:
  Capture(const Request& request, const Calls& calls) : request_(request), calls_(calls) {}

  Result<Recording> run(record::HeldSignals& signals);

  void on_start() override;
  bool on_tick(const record::SessionStatus& status) override;

 private:
  Result<Recording> record(record::HeldSignals& signals);
  Result<> open_files(record::SessionRequest& session, record::HeldSignals& signals);
  bool stops_waiting(double seconds, record::HeldSignals& signals);
  Recording without_program(const record::SessionEnd& end);
  void add_unmatched(Recording& recording) const;
  Result<> finish_files(const Profile& profile);
  void publish();
  Result<> rename_older();
  void write();
  void cut_window();
  void give_back_memory(double seconds);
  void report(const record::SessionStatus& now);
  void print(const std::string& sentence) const;

  const Request& request_;
  const Calls& calls_;
  std::unique_ptr<RecordingFile> file_;  // or null
  std::unique_ptr<RawFile> raw_;         // or null
  std::optional<Pipeline> pipeline_;
  std::optional<BatchWorker<RecordedWindow>> namer_;  // ends before the pipeline
  CompleteStacks complete_;
  bool is_published_ = false;
  bool has_reported_raw_ = false;
  std::string problem_;  // why wick can no longer write the file
  double written_at_ = 0;
  FilePages file_pages_;
  Status reported_;
  double reported_cpu_ = 0;
  int stopped_by_ = 0;            // a signal that ended the recording
  bool stopped_waiting_ = false;  // for the program that reads the file
};

Result<Recording> Capture::run(record::HeldSignals& signals) {
  Result<Recording> recording = record(signals);
  if (!recording && stopped_waiting_) {
    recording.error().stopped_by = stopped_by_;
  }
  return recording;
}

Result<Recording> Capture::record(record::HeldSignals& signals) {
  TRY(check_target(request_.session));
  Priority priority(request_.session.launch.scheduling);
  record::SessionRequest session = request_.session;
  TRY(open_files(session, signals));
  std::optional<record::Child> child;
  if (session.launch.body) {
    child = TRY(record::Child::launch(session.launch, signals.old_mask()));  // before all threads
  }
  pipeline_.emplace(
      usual_names(),
      PipelineOptions{
          .stitches = true, .is_live = true, .reads_interpreters = request_.reads_interpreters});
  if (calls_.window) {
    namer_.emplace(
        [&](RecordedWindow& window) { calls_.window(pipeline_->named(std::move(window))); });
  }
  session.recorder.feedback = &*pipeline_;
  report_start(session.launch, *pipeline_);
  record::SessionEnd end =
      TRY(record::run_session(session, *pipeline_, *this, signals, std::move(child)));
  if (end.exec_error != 0) {
    return without_program(end);
  }
  report_end(end, *pipeline_);
  stopped_by_ = end.stopped_by;
  if (namer_) {
    namer_->finish();
  }
  Recording recording{.status = status_of(end), .profile = pipeline_->finish(), .end = end};
  TRY(finish_files(recording.profile));
  recording.bytes = file_ ? file_->bytes() : 0;
  complete_.finish(recording.profile);
  recording.complete_share = complete_.share();
  if (session.recorder.contents.stacks == record::StackSource::kFramePointer &&
      lacks_frame_pointers(recording.profile)) {
    recording.notes.emplace_back(
        "Most stacks have only one or two frames: the program seems to be built without frame "
        "pointers. The usual call graph, dwarf, does not need them.");
  }
  add_unmatched(recording);
  return recording;
}

// Names patterns for lines of the program's output that matched none.
void Capture::add_unmatched(Recording& recording) const {
  const record::OutputWatch& watch = request_.session.watch;
  if (watch.marker && !calls_.window && recording.profile.marks.empty()) {
    recording.notes.push_back(
        fmt::format("--marker {} matches no line of the output: the recording has no marks.",
                    short_terminal_text(watch.marker->text())));
  }
  if (watch.stop_on && recording.end.reason == record::EndReason::kTargetEnded) {
    recording.notes.push_back(
        fmt::format("--stop-on {} matches no line of the output: the program ended by itself.",
                    short_terminal_text(watch.stop_on->text())));
  }
}

Result<> Capture::open_files(record::SessionRequest& session, record::HeldSignals& signals) {
  OutputOptions options{.is_private = true, .gives_up = [&](double seconds) {
                          return stops_waiting(seconds, signals);
                        }};
  if (calls_.window && !request_.path.empty()) {
    return fail("A recording is either written to a file or cut into windows, not both.");
  }
  if (!request_.path.empty()) {
    file_ = TRY(RecordingFile::open(request_.path, options));
  }
  if (!request_.raw.empty() && is_same_path(request_.raw, request_.path)) {
    return fail_usage("{} cannot be both the profile and the raw records; choose two files.",
                      terminal_text(request_.path));
  }
  if (!request_.raw.empty()) {
    raw_ = TRY(RawFile::open(request_.raw, session.launch.command, options));
    session.recorder.raw = &raw_->writer();
  }
  return {};
}

// Files may be pipes, which another program reads, or does not. A signal that asks to end is enough
// to stop waiting; a reader that takes nothing has some time after a signal that ended the
// recording.
bool Capture::stops_waiting(double seconds, record::HeldSignals& signals) {
  if (int number = signals.request_to_end(); number != 0) {
    stopped_by_ = number;
    stopped_waiting_ = true;
  }
  stopped_waiting_ = stopped_waiting_ || (stopped_by_ != 0 && seconds > record::kReaderSeconds);
  return stopped_waiting_;
}

Recording Capture::without_program(const record::SessionEnd& end) {
  print(fmt::format("cannot run {}: {}.",
                    terminal_text(request_.session.launch.command[0]),
                    std::strerror(end.exec_error)));
  Recording recording{.status = status_without_program(end.exec_error), .ran = false};
  recording.end = end;
  return recording;
}

Result<> Capture::finish_files(const Profile& profile) {
  if (!is_published_) {
    publish();  // the program ended before sampling began
  }
  if (!problem_.empty()) {
    return fail("{}", problem_);
  }
  if (file_) {
    TRY(file_->finish(profile));
  }
  return raw_ ? raw_->finish(profile) : Result<>();
}

void Capture::on_start() {
  publish();
  if (problem_.empty()) {
    write();  // so that the file can be read even if wick is killed
  }
}

void Capture::publish() {
  is_published_ = true;
  Result<> published;
  if (file_) {
    if (request_.older == OlderFile::kRenamed) {
      published = rename_older();
    }
    published = published ? file_->publish() : published;
  }
  if (published && raw_) {
    published = raw_->publish();
  }
  if (!published) {
    problem_ = published.error().message;
  }
}

Result<> Capture::rename_older() {
  const std::string& path = request_.path;
  if (::access(path.c_str(), F_OK) != 0) {
    return {};
  }
  std::string stem = path.substr(0, path.rfind('.'));
  for (int number = 1; number < 100'000; ++number) {
    std::string other = fmt::format("{}.{}.wick", stem, number);
    if (::access(other.c_str(), F_OK) == 0) {
      continue;
    }
    bool is_linked = ::link(path.c_str(), other.c_str()) == 0;
    if (!is_linked && errno == EEXIST) {
      continue;  // another process has just taken the name
    }
    // A file system without hard links can still rename.
    int failed = is_linked ? ::unlink(path.c_str()) : std::rename(path.c_str(), other.c_str());
    if (failed != 0) {
      return fail("Cannot rename the older {} to {}: {}.",
                  terminal_text(path),
                  terminal_text(other),
                  std::strerror(errno));
    }
    print(fmt::format("renamed the older {} to {}.", terminal_text(path), terminal_text(other)));
    return {};
  }
  return fail("Cannot rename the older {}: all numbers are taken.", terminal_text(path));
}

// Free memory, too: after a burst of records it would stay with the allocator.
void Capture::give_back_memory(double seconds) {
  if (file_pages_.are_due(seconds, resident_file_bytes)) {
    forget_all_mapped();
    ::malloc_trim(0);
    file_pages_.forgot(seconds, resident_file_bytes());
  }
}

bool Capture::on_tick(const record::SessionStatus& status) {
  if (status.seconds - written_at_ >= kSecondsBetweenWrites) {
    written_at_ = status.seconds;
    if (namer_) {
      cut_window();
    } else {
      write();
    }
    report(status);
  }
  give_back_memory(status.seconds);
  if (raw_ && raw_->error() != 0 && !std::exchange(has_reported_raw_, true)) {
    print(fmt::format(
        "cannot write to {}: {}. No more raw records are written; wick keeps recording.",
        terminal_text(request_.raw),
        write_error_text(raw_->error())));
  }
  if (problem_.empty() && (!file_ || file_->error() == 0)) {
    return true;
  }
  print(problem_.empty()
            ? fmt::format("cannot write to {}: {}. Recording stopped; the program keeps running.",
                          terminal_text(request_.path),
                          write_error_text(file_->error()))
            : fmt::format("{} Recording stopped. The program keeps running.", problem_));
  return false;
}

void Capture::write() {
  if (!file_ && !calls_.status) {
    return;
  }
  pipeline_->with_profile_so_far([&](const Profile& profile) {
    complete_.count(profile);
    if (Result<> written = file_ ? file_->append(profile) : Result<>(); !written) {
      problem_ = written.error().message;
    }
  });
}

// While the last window is with its user, the open one grows: nothing waits.
void Capture::cut_window() {
  if (!namer_->is_idle()) {
    pipeline_->look_up_names();
    return;
  }
  RecordedWindow window = pipeline_->cut();
  complete_.finish(window.profile);
  namer_->exchange(std::move(window));
}

void Capture::report(const record::SessionStatus& now) {
  double interval = now.seconds - reported_.seconds;
  if (!calls_.status || !(interval > 0)) {
    return;
  }
  double cpu = own_cpu_seconds();
  reported_ = {
      .seconds = now.seconds,
      .samples = now.samples,
      .samples_per_second = static_cast<double>(now.samples - reported_.samples) / interval,
      .lost = now.lost,
      .complete_share = complete_.share(),
      .bytes = file_ ? file_->bytes() : 0,
      .own_cpu_share = (cpu - reported_cpu_) / interval};
  reported_cpu_ = cpu;
  calls_.status(reported_);
}

void Capture::print(const std::string& sentence) const {
  if (calls_.print) {
    calls_.print(sentence);
  }
}

}  // namespace

Result<Recording> run(const Request& request, const Calls& calls) {
  record::HeldSignals signals;
  return run(request, calls, signals);
}

Result<Recording> run(const Request& request, const Calls& calls, record::HeldSignals& signals) {
  return Capture(request, calls).run(signals);
}

}  // namespace wick::capture

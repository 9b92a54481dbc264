// SPDX-License-Identifier: Apache-2.0
// The steps of a recording: run() launches the program (which waits), opens the events (begin),
// records until an end is reached (record), and then drains, waits for the program and compares
// with the kernel's accounting.
//
// record() is one loop around poll(). It reacts to the drain, signals, the child, and the program's
// output, and to the end of attached processes. A tick several times a second lets the watcher
// write the file. Everything that can end a recording calls end(). Only the first call has an
// effect, so the reason and the measured time are those of the first cause.
//
// Two rules. The session checks for the child's end before other work, because its run time would
// otherwise include wick's work. And it delivers all recorded samples: every recording that has
// started ends with recorder_->finish().
#include "record/session.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/bpf.h"
#include "record/machine.h"

namespace wick::record {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kTickNs = kSecond / 10;
constexpr uint64_t kFastestSafePeriod = 50'000;  // ns

class Session {
 public:
  Session(const SessionRequest& request,
          EventSink& sink,
          SessionWatcher& watcher,
          HeldSignals& signals,
          std::optional<Child> launched)
      : request_(request),
        sink_(sink),
        watcher_(watcher),
        signals_(signals),
        child_(std::move(launched)) {}

  Result<SessionEnd> run();

 private:
  Result<> launch();
  Result<> begin();
  void report_child();
  void wait_for_delay();
  void record();
  void wait();
  void take_signals();
  void take_output();
  void finish_output();
  bool tick();
  void watch_targets();
  bool targets_alive();
  void finish_child();
  void end(EndReason reason);
  void account();
  void report_missed(const CpuTime& charged);

  // Pids are reused, descriptors of processes are not.
  struct Target {
    int32_t pid = -1;
    Descriptor descriptor;  // readable when the process has ended; not valid on old kernels
  };

  void note_end(const Target& target);

  SessionRequest request_;
  EventSink& sink_;
  SessionWatcher& watcher_;
  HeldSignals& signals_;
  std::unique_ptr<OutputTap> tap_;
  std::optional<Child> child_;
  std::unique_ptr<Recorder> recorder_;
  std::vector<Target> targets_;  // the requested processes that have not ended
  std::vector<std::pair<int32_t, CpuTime>> charged_before_;
  uint64_t started_ = 0;
  uint64_t released_ = 0;
  uint64_t next_tick_ = 0;
  int interruptions_ = 0;
  uint64_t unread_marks_ = 0;
  std::string first_unread_;
  bool ended_ = false;
  SessionEnd result_;
};

Result<SessionEnd> Session::run() {
  // 1. The program exists, but waits.
  TRY(launch());
  // 2. Events are open before it runs its first instruction.
  TRY(begin());
  if (!ended_) {
    // 3. Record until an end is reached.
    record();
    // 4. Finish.
    recorder_->finish();
    finish_child();
    account();
  } else if (result_.exec_error == 0) {
    finish_child();
  }
  finish_output();
  return result_;
}

Result<> Session::launch() {
  if (request_.launch.command.empty() || child_) {
    return {};
  }
  if (request_.watch.any()) {
    tap_ = TRY(OutputTap::open(request_.watch, request_.launch.outputs));
    request_.launch.outputs = tap_->program_ends();
  }
  child_ = TRY(Child::launch(request_.launch, signals_.old_mask()));
  if (tap_) {
    TRY(tap_->start());
  }
  return {};
}

void Session::report_child() {
  auto now = static_cast<int64_t>(released_);
  std::string command = fmt::format("{}", fmt::join(request_.launch.command, " "));
  sink_.on_process({.at = {.time_ns = now, .pid = child_->pid(), .tid = child_->pid()},
                    .parent_pid = ::getpid(),
                    .begin_ns = now,
                    .command = {},
                    .next_command = command});
}

Result<> Session::begin() {
  bool late = request_.delay_s > 0;
  RecorderRequest& wanted = request_.recorder;
  bool executes = child_ && !request_.launch.body;
  if (executes && !late) {
    wanted.child = child_->pid();
  } else if (child_ && !late) {
    wanted.pids.push_back(child_->pid());  // it does not execute another program
  }
  if (child_ && late) {
    released_ = monotonic_ns();
    result_.exec_error = child_->release();
    wait_for_delay();
    wanted.pids.push_back(child_->pid());
  } else if (late) {
    wait_for_delay();
  }
  if (ended_ || result_.exec_error != 0) {
    ended_ = true;
    return {};
  }
  recorder_ = TRY(Recorder::open(wanted, sink_));
  for (int32_t pid : recorder_->members_at_open()) {
    bool is_child = child_ && pid == child_->pid();  // its end says what it used
    if (std::optional<CpuTime> time = cpu_time_of(pid); time && !is_child) {
      charged_before_.emplace_back(pid, *time);
    }
  }
  watch_targets();
  started_ = monotonic_ns();
  TRY(recorder_->start());
  if (child_ && !late) {
    released_ = monotonic_ns();
    report_child();
    result_.exec_error = child_->release();
    ended_ = result_.exec_error != 0;
  }
  if (!ended_) {
    watcher_.on_start();
  }
  return {};
}

void Session::wait_for_delay() {
  uint64_t until = monotonic_ns() + static_cast<uint64_t>(request_.delay_s * 1e9);
  while (!ended_ && monotonic_ns() < until) {
    pollfd wait{signals_.descriptor(), POLLIN, 0};
    ::poll(&wait, 1, 20);
    take_signals();
    if (child_ && child_->poll()) {
      end(EndReason::kTargetEnded);
    }
  }
}

void Session::record() {
  while (!ended_) {
    wait();
    if (child_ && child_->poll()) {
      end(EndReason::kTargetEnded);  // first, or its time would include wick's work
    }
    recorder_->work();
    take_signals();
    take_output();
    if (!child_ && !request_.recorder.pids.empty() && !targets_alive()) {
      end(EndReason::kTargetEnded);
    }
    double seconds = static_cast<double>(monotonic_ns() - started_) / 1e9;
    if (request_.duration_s > 0 && seconds >= request_.duration_s) {
      end(EndReason::kDuration);
      if (child_) {
        child_->signal(SIGTERM);
      }
    }
    if (!ended_ && monotonic_ns() >= next_tick_ && !tick()) {
      end(EndReason::kWatcher);
    }
  }
}

// The drain's rounds wake this thread often enough for ticks.
void Session::wait() {
  std::vector<pollfd> waits;
  for (const Target& target : targets_) {
    waits.push_back({target.descriptor.get(), POLLIN, 0});
  }
  waits.push_back({recorder_->descriptor(), POLLIN, 0});
  waits.push_back({signals_.descriptor(), POLLIN, 0});
  waits.push_back({child_ ? child_->descriptor() : -1, POLLIN, 0});
  waits.push_back({tap_ ? tap_->descriptor() : -1, POLLIN, 0});
  uint64_t now = monotonic_ns();
  uint64_t until = now + kSecond;
  if (request_.duration_s > 0) {
    until = std::min(until, started_ + static_cast<uint64_t>(request_.duration_s * 1e9));
  }
  uint64_t left = until > now ? until - now : 0;
  timespec timeout{static_cast<time_t>(left / kSecond), static_cast<long>(left % kSecond)};
  if (::ppoll(waits.data(), waits.size(), &timeout, nullptr) <= 0) {
    return;
  }
  for (size_t i = targets_.size(); i-- > 0;) {
    if (waits[i].revents != 0) {
      note_end(targets_[i]);
      targets_.erase(targets_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

void Session::take_signals() {
  while (std::optional<HeldSignals::Received> received = signals_.next()) {
    bool asks_to_end = received->number == SIGINT || received->number == SIGTERM ||
                       received->number == SIGHUP || received->number == SIGQUIT;
    if (received->number == SIGCHLD || received->number == SIGPIPE) {
      continue;
    }
    if (child_ && !asks_to_end) {
      child_->signal(received->number);
      continue;
    }
    result_.stopped_by = received->number;
    if (!child_ || ++interruptions_ > 1) {
      end(EndReason::kSignal);
    } else if (!received->from_terminal) {
      child_->signal(received->number);
    }
  }
}

void Session::take_output() {
  if (!tap_) {
    return;
  }
  for (const Sighting& seen : tap_->take()) {
    if (!seen.unread.empty() && ++unread_marks_ == 1) {
      first_unread_ = seen.unread;
    }
    if (!seen.text.empty()) {
      sink_.on_mark({.at = {.time_ns = static_cast<int64_t>(seen.time_ns)},
                     .name = seen.text,
                     .kind = request_.watch.marker->text(),
                     .value = seen.value,
                     .has_value = seen.has_value});
    }
    if (seen.stops && !ended_) {
      end(EndReason::kOutput);
      child_->signal(SIGTERM);
    }
  }
}

void Session::finish_output() {
  if (!tap_) {
    return;
  }
  tap_->finish([&](double seconds) {
    return signals_.request_to_end() != 0 || (result_.stopped_by != 0 && seconds > kReaderSeconds);
  });
  take_output();
  if (tap_->dropped() > 0) {
    sink_.on_lost({.count = tap_->dropped(),
                   .what = "marks",
                   .reason = "the program's output has too many lines that match --marker",
                   .notice = true});
  }
  if (unread_marks_ > 0) {
    sink_.on_lost({.count = unread_marks_,
                   .what = "marks",
                   .reason =
                       "no value on the second clock: the text in the parentheses of --marker "
                       "is neither a number nor a time that wick knows",
                   .detail = first_unread_,
                   .notice = true});
  }
}

bool Session::tick() {
  next_tick_ = monotonic_ns() + kTickNs;
  recorder_->vary_clocks();
  return watcher_.on_tick({.seconds = static_cast<double>(monotonic_ns() - started_) / 1e9,
                           .samples = recorder_->tree().samples(),
                           .lost = recorder_->tree().lost()});
}

void Session::watch_targets() {
  for (int32_t pid : request_.recorder.pids) {
    targets_.push_back({pid, Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)))});
  }
}

bool Session::targets_alive() {
  std::erase_if(targets_, [&](const Target& target) {
    bool has_ended = !target.descriptor.valid() && !is_alive(target.pid);
    if (has_ended) {
      note_end(target);
    }
    return has_ended;
  });
  return !targets_.empty();
}

void Session::note_end(const Target& target) {
  if (!child_ || target.pid != child_->pid()) {
    result_.ended_targets.emplace_back(target.pid,
                                       static_cast<double>(monotonic_ns() - started_) / 1e9);
  }
}

void Session::end(EndReason reason) {
  if (!ended_) {
    ended_ = true;
    result_.reason = reason;
    uint64_t now = monotonic_ns();
    result_.seconds = started_ > 0 ? static_cast<double>(now - started_) / 1e9 : 0;
    result_.child_seconds = child_ ? static_cast<double>(now - released_) / 1e9 : 0;
  }
}

// A program that was asked to end gets one second. If the recording ended because its file could
// not be written any more, the program is not ended: it continues, and wick waits for it.
void Session::finish_child() {
  if (!child_) {
    return;
  }
  bool asked_to_end =
      result_.reason == EndReason::kDuration || result_.reason == EndReason::kOutput;
  bool waits = result_.reason == EndReason::kWatcher;
  for (int tries = 0; !child_->poll() && (waits || (asked_to_end && tries < 100)); ++tries) {
    std::array<pollfd, 2> either = {pollfd{signals_.descriptor(), POLLIN, 0},
                                    pollfd{child_->descriptor(), POLLIN, 0}};
    ::poll(either.data(), either.size(), 10);
    if (waits) {
      take_signals();
      waits = interruptions_ < 2;
    }
  }
  result_.child = child_->poll();
  result_.stolen_seconds = child_->stolen_seconds();
}

// Compares the kernel's accounting with the total of the samples.
void Session::account() {
  result_.per_thread = recorder_->is_per_thread();
  result_.sees_kernel = recorder_->sees_kernel();
  result_.copies_whole_stacks = recorder_->copies_whole_stacks();
  result_.samples = recorder_->tree().samples();
  result_.lost = recorder_->tree().lost();
  if (request_.recorder.everybody || !request_.recorder.cgroup.empty() || request_.delay_s > 0) {
    return;
  }
  CpuTime charged;
  bool known = true;
  for (const auto& [pid, before] : charged_before_) {
    std::optional<CpuTime> now = cpu_time_of(pid);
    known = known && now;
    CpuTime spent = now.value_or(before) - before;
    charged.user_ns += spent.user_ns;
    charged.system_ns += spent.system_ns;
  }
  if (child_) {
    known = known && result_.child;
    charged.user_ns += result_.child ? result_.child->user_ns : 0;
    charged.system_ns += result_.child ? result_.child->system_ns : 0;
  }
  if (known) {
    result_.cpu_time = charged;
    report_missed(charged);
  }
}

void Session::report_missed(const CpuTime& charged) {
  const std::vector<EventRequest>& events = recorder_->events();
  auto clock = std::ranges::find_if(events, &EventRequest::is_clock);
  if (clock == events.end() || !request_.recorder.cpus.empty()) {
    return;
  }
  uint64_t period =
      clock->period != 0 ? clock->period : kSecond / std::max<uint64_t>(1, clock->frequency);
  uint64_t weight = recorder_->tree().weight(static_cast<uint32_t>(clock - events.begin()));
  int64_t expected = charged.user_ns + (clock->exclude_kernel ? 0 : charged.system_ns);
  auto seen = static_cast<int64_t>(weight + recorder_->tree().lost() * period);
  int64_t missed = expected - seen;
  if (!clock->exclude_user && !clock->exclude_kernel) {
    result_.sampled_ns = seen;
  }
  // One clock for each CPU falls behind at very high rates, and misses BPF programs that started
  // after it. Other missing time is time that the kernel charges while no clock can tick, or during
  // which a virtual machine was not running.
  bool is_fast = !recorder_->is_per_thread() && period < kFastestSafePeriod;
  bool meets_bpf = recorder_->has_program() && bpf::others_trace();
  if (!recorder_->is_per_thread() && !is_fast && !meets_bpf) {
    return;
  }
  // The kernel's accounting has the resolution of ticks: a hundredth of a second is not
  // significant.
  if (clock->exclude_user || missed < 20'000'000 || missed < expected / 50) {
    return;
  }
  sink_.on_lost(
      {.count = static_cast<uint64_t>(missed) / period,
       .what = "samples",
       .reason = recorder_->is_per_thread()
                     ? "one clock per thread misses time at every switch, and programs of other "
                       "users; recording as root uses one clock per CPU, which misses neither"
                 : is_fast ? "the clock could not keep up; use a lower -F"
                           : "other BPF programs were started during the recording, and the kernel "
                             "drops samples that hit them; record again while they run"});
  result_.lost += static_cast<uint64_t>(missed) / period;
}

}  // namespace

Result<SessionEnd> run_session(const SessionRequest& request,
                               EventSink& sink,
                               SessionWatcher& watcher,
                               HeldSignals& signals,
                               std::optional<Child> launched) {
  return Session(request, sink, watcher, signals, std::move(launched)).run();
}

}  // namespace wick::record

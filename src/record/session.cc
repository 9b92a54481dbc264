#include "record/session.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>

#include <poll.h>
#include <sys/signalfd.h>

#include "record/machine.h"

namespace wick::record {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kTickNs = kSecond / 5;

// Signals come through a descriptor while this lives; the old mask is kept for the child.
class Signals {
 public:
  Signals() {
    sigset_t set;
    ::sigemptyset(&set);
    for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD}) {
      ::sigaddset(&set, number);
    }
    ::pthread_sigmask(SIG_BLOCK, &set, &old_mask_);
    descriptor_ = Descriptor(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  ~Signals() {
    // One that came twice must not kill wick now that the file is being finished.
    while (next()) {
    }
    ::pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  int descriptor() const { return descriptor_.get(); }
  const sigset_t& old_mask() const { return old_mask_; }

  struct Received {
    int number = 0;
    bool from_terminal = false;
  };
  std::optional<Received> next() {
    signalfd_siginfo info = {};
    if (::read(descriptor_.get(), &info, sizeof info) != sizeof info) {
      return {};
    }
    return Received{static_cast<int>(info.ssi_signo), info.ssi_code == SI_KERNEL};
  }

 private:
  sigset_t old_mask_ = {};
  Descriptor descriptor_;
};

class Session {
 public:
  Session(const SessionRequest& request, EventSink& sink, SessionWatcher& watcher)
      : request_(request), sink_(sink), watcher_(watcher) {}

  Result<SessionEnd> run();

 private:
  Result<> launch();
  Result<> begin();
  void wait_for_delay();
  void record();
  void wait();
  void take_signals();
  void take_output();
  void finish_output();
  bool tick();
  bool targets_alive() const;
  void end(EndReason reason);
  void account();
  void tell_missed(const CpuTime& charged);

  SessionRequest request_;
  EventSink& sink_;
  SessionWatcher& watcher_;
  Signals signals_;
  std::unique_ptr<OutputTap> tap_;
  std::optional<Child> child_;
  std::unique_ptr<Recorder> recorder_;
  std::vector<std::pair<int32_t, CpuTime>> charged_before_;
  uint64_t started_ = 0;
  uint64_t released_ = 0;
  uint64_t next_tick_ = 0;
  int interruptions_ = 0;
  bool ended_ = false;
  SessionEnd result_;
};

Result<SessionEnd> Session::run() {
  // 1. The program is there, but waits.
  TRY(launch());
  // 2. Events are open before it runs its first instruction.
  TRY(begin());
  if (ended_) {
    return result_;
  }
  // 3. Until somebody says that it is over.
  record();
  // 4. The rest.
  recorder_->finish();
  account();
  finish_output();
  return result_;
}

Result<> Session::launch() {
  if (request_.launch.command.empty()) {
    return {};
  }
  rlimit descriptors = {};
  ::getrlimit(RLIMIT_NOFILE, &descriptors);
  if (request_.watch.any()) {
    tap_ = TRY(OutputTap::open(request_.watch, request_.launch.outputs));
    request_.launch.outputs = tap_->program_ends();
  }
  child_ = TRY(Child::launch(request_.launch, signals_.old_mask(), descriptors));
  if (tap_) {
    tap_->start();
  }
  return {};
}

Result<> Session::begin() {
  bool late = request_.delay_s > 0;
  RecorderRequest& wanted = request_.recorder;
  if (child_ && !late) {
    wanted.child = child_->pid();
    wanted.enable_on_exec = true;
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
    if (std::optional<CpuTime> time = cpu_time_of(pid)) {
      charged_before_.emplace_back(pid, *time);
    }
  }
  started_ = monotonic_ns();
  TRY(recorder_->start());
  watcher_.on_start(*recorder_);
  if (child_ && !late) {
    released_ = monotonic_ns();
    result_.exec_error = child_->release();
    ended_ = result_.exec_error != 0;
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
    recorder_->work();
    take_signals();
    take_output();
    if (child_) {
      if (child_->poll()) {
        end(EndReason::kTargetEnded);
      }
    } else if (!request_.recorder.pids.empty() && !targets_alive()) {
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

void Session::wait() {
  std::array<pollfd, 4> waits = {pollfd{recorder_->descriptor(), POLLIN, 0},
                                 pollfd{signals_.descriptor(), POLLIN, 0},
                                 pollfd{child_ ? child_->descriptor() : -1, POLLIN, 0},
                                 pollfd{tap_ ? tap_->descriptor() : -1, POLLIN, 0}};
  uint64_t now = monotonic_ns();
  uint64_t until = next_tick_;
  if (request_.duration_s > 0) {
    until = std::min(until, started_ + static_cast<uint64_t>(request_.duration_s * 1e9));
  }
  uint64_t left = until > now ? until - now : 0;
  timespec timeout{static_cast<time_t>(left / kSecond), static_cast<long>(left % kSecond)};
  ::ppoll(waits.data(), waits.size(), &timeout, nullptr);
}

void Session::take_signals() {
  while (std::optional<Signals::Received> received = signals_.next()) {
    if (received->number == SIGCHLD) {
      continue;
    }
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
    if (!seen.text.empty()) {
      sink_.on_mark({.time_ns = static_cast<int64_t>(seen.time_ns),
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
  tap_->finish();
  take_output();
  if (tap_->dropped() > 0) {
    sink_.on_lost({.count = tap_->dropped(),
                   .what = "marks",
                   .reason = "the program's output has too many lines that match --marker",
                   .notice = true});
  }
}

bool Session::tick() {
  next_tick_ = monotonic_ns() + kTickNs;
  return watcher_.on_tick({.seconds = static_cast<double>(monotonic_ns() - started_) / 1e9,
                           .samples = recorder_->tree().samples(),
                           .lost = recorder_->tree().lost(),
                           .recorder = recorder_.get()});
}

bool Session::targets_alive() const {
  return std::ranges::any_of(request_.recorder.pids, is_alive);
}

void Session::end(EndReason reason) {
  if (!ended_) {
    ended_ = true;
    result_.reason = reason;
    uint64_t now = monotonic_ns();
    result_.seconds = static_cast<double>(now - started_) / 1e9;
    result_.child_seconds = child_ ? static_cast<double>(now - released_) / 1e9 : 0;
  }
}

// What the kernel charged, against what the samples amount to.
void Session::account() {
  if (child_) {
    bool told_to_end =
        result_.reason == EndReason::kDuration || result_.reason == EndReason::kOutput;
    for (int tries = 0; tries < 100 && told_to_end && !child_->poll(); ++tries) {
      ::poll(nullptr, 0, 10);
    }
    result_.child = child_->poll();
  }
  result_.per_thread = recorder_->is_per_thread();
  result_.sees_kernel = recorder_->sees_kernel();
  result_.real_time = recorder_->is_real_time();
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
    tell_missed(charged);
  }
}

void Session::tell_missed(const CpuTime& charged) {
  const EventRequest& event = recorder_->events()[0];
  if (!recorder_->is_per_thread() || recorder_->events().size() > 1 || !event.is_clock()) {
    return;
  }
  uint64_t period =
      event.period != 0 ? event.period : kSecond / std::max<uint64_t>(1, event.frequency);
  int64_t expected = charged.user_ns + (event.exclude_kernel ? 0 : charged.system_ns);
  auto seen = static_cast<int64_t>(recorder_->tree().weight() + recorder_->tree().lost() * period);
  int64_t missed = expected - seen;
  // Accounts are kept by ticks: a hundredth of a second is no finding.
  if (missed > 20'000'000 && missed > expected / 50) {
    sink_.on_lost({.count = static_cast<uint64_t>(missed) / period,
                   .what = "samples",
                   .reason =
                       "a clock for each thread misses time at every switch; recording as root "
                       "uses one for each CPU, which does not"});
    result_.lost += static_cast<uint64_t>(missed) / period;
  }
}

}  // namespace

Result<SessionEnd> run_session(const SessionRequest& request,
                               EventSink& sink,
                               SessionWatcher& watcher) {
  return Session(request, sink, watcher).run();
}

}  // namespace wick::record

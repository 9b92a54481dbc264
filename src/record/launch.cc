// SPDX-License-Identifier: Apache-2.0
// Starts a program in steps, so that nothing of it runs unobserved:
//
//     launch()   prepares everything that allocates (ChildPlan), then forks
//     become()   in the child: sets up group, limits, CPUs and outputs, then blocks on pipe `go`
//     release()  in wick: writes to `go`. The child sends its start time and executes the program;
//                if that fails it sends errno through `problem`, which closes on success (CLOEXEC)
//     poll()     reports the end, from wait4() or from the supervisor
//
// With dies_with_us a supervisor is forked in between (fork_supervised). It reports the pid first
// and the end later through one pipe.
//
// Invariant: between fork and exec the child makes only async-signal-safe calls. wick may have
// threads, so another thread may hold the allocator's lock at the moment of the fork.
#include "record/launch.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/escape.h"
#include "record/channels.h"
#include "record/held_signals.h"
#include "record/supervisor.h"

namespace wick::record {

// Everything that the child needs between fork and exec, where it may only make safe calls. (A body
// may do more: a process without other threads starts it.)
struct ChildPlan {
  std::vector<char*> arguments;
  const std::function<int()>* body = nullptr;  // instead of the program
  std::vector<char*> environment;              // empty: wick's own
  const char* directory = nullptr;
  pid_t parent = 0;  // the supervisor, which must be alive; 0: none
  bool own_group = false;
  bool leaves_processes = false;
  int input = STDIN_FILENO;
  cpu_set_t cpus = {};
  bool pinned = false;
  sigset_t mask = {};
  rlimit descriptors = {};
  Scheduling scheduling;
  int go = -1;
  int start = -1;
  int problem = -1;
  std::array<int, 2> outputs = {STDOUT_FILENO, STDERR_FILENO};
};

namespace {

// Sets up the environment in which the program runs.
void prepare(const ChildPlan& plan) {
  if (plan.own_group) {
    ::setpgid(0, 0);
  }
  if (plan.parent != 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != plan.parent) {
      ::_exit(127);  // the parent ended before the signal was set
    }
  }
  set_scheduling(plan.scheduling);
  ::setrlimit(RLIMIT_NOFILE, &plan.descriptors);
  // Ignored below a script's &. wick takes them all the same (held_signals.h), and passes them on.
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGQUIT, SIG_DFL);
  if (plan.pinned) {
    ::sched_setaffinity(0, sizeof plan.cpus, &plan.cpus);
  }
  ::dup2(plan.input, STDIN_FILENO);
  for (int i = 0; i < 2; ++i) {
    ::dup2(plan.outputs[static_cast<size_t>(i)], STDOUT_FILENO + i);
  }
  if (!plan.environment.empty()) {
    environ = const_cast<char**>(plan.environment.data());
  }
}

// All but standard input, output and error, which includes the pipe that says that it began.
void close_descriptors() {
  constexpr unsigned kFirst = STDERR_FILENO + 1;
  if (::syscall(SYS_close_range, kFirst, ~0U, 0) == 0) {
    return;
  }
  rlimit limit = {};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  for (rlim_t each = kFirst; each < limit.rlim_cur; ++each) {
    ::close(static_cast<int>(each));
  }
}

[[noreturn]] void become(const ChildPlan& plan) {
  prepare(plan);
  char go = 0;
  ssize_t got = 0;
  do {
    got = ::read(plan.go, &go, 1);
  } while (got < 0 && errno == EINTR);
  if (got == 1 && (plan.directory == nullptr || ::chdir(plan.directory) == 0)) {
    ::sigprocmask(SIG_SETMASK, &plan.mask, nullptr);
    Child::Start start;
    ::getrusage(RUSAGE_SELF, &start.usage);
    start.monotonic_ns = monotonic_ns();
    [[maybe_unused]] ssize_t sent = ::write(plan.start, &start, sizeof start);
    if (plan.body != nullptr) {
      close_descriptors();
      ::_exit((*plan.body)());
    }
    ::execvp(plan.arguments[0], plan.arguments.data());
  }
  if (got == 1) {
    int error = errno;
    [[maybe_unused]] ssize_t sent = ::write(plan.problem, &error, sizeof error);
  }
  ::_exit(127);
}

// Reads a whole value from a pipe; false if the other side closed it before.
template <typename T>
bool read_value(int descriptor, T& value) {
  ssize_t got = 0;
  do {
    got = ::read(descriptor, &value, sizeof value);
  } while (got < 0 && errno == EINTR);
  return got == sizeof value;
}

// "NAME=value" for wick's own variables and the additional ones.
std::vector<std::string> variables_with(
    const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> variables;
  for (char** variable = environ; !added.empty() && *variable != nullptr; ++variable) {
    std::string_view text = *variable;
    std::string_view name = text.substr(0, text.find('='));
    bool replaced = std::ranges::any_of(added, [&](const auto& one) { return one.first == name; });
    if (!replaced) {
      variables.emplace_back(text);
    }
  }
  for (const auto& [name, value] : added) {
    variables.push_back(fmt::format("{}={}", name, value));
  }
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

int64_t nanoseconds(const timeval& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + int64_t{time.tv_usec} * 1000;
}

Child::End end_of(bool signalled, int number, const rusage& usage) {
  return {.status = signalled ? shell_status(number) : number,
          .signalled = signalled,
          .user_ns = nanoseconds(usage.ru_utime),
          .system_ns = nanoseconds(usage.ru_stime),
          .usage = usage};
}

// A fork has a copy of one thread only: the locks that others held stay locked in it. (The thread
// sanitizer has its own thread.)
Result<> check_single_thread() {
#ifndef __SANITIZE_THREAD__
  std::error_code problem;
  std::filesystem::directory_iterator threads("/proc/self/task", problem);
  if (!problem && std::distance(begin(threads), end(threads)) > 1) {
    return fail("A function can be recorded only while this process has no other threads.");
  }
#endif
  return {};
}

}  // namespace

Result<Child> Child::launch(const LaunchRequest& request, const sigset_t& mask) {
  if (request.body) {
    TRY(check_single_thread());
  }
  Pipe go = TRY(make_pipe());
  Pipe start = TRY(make_pipe());
  Pipe problem = TRY(make_pipe());
  std::vector<std::string> words = request.command;
  std::vector<std::string> variables = variables_with(request.environment);
  ChildPlan plan{.arguments = pointers_to(words),
                 .body = request.body ? &request.body : nullptr,
                 .directory = request.directory.empty() ? nullptr : request.directory.c_str(),
                 .own_group = request.own_group,
                 .leaves_processes = request.leaves_processes,
                 .input = request.input,
                 .mask = mask,
                 .descriptors = original_descriptor_limit(),
                 .scheduling = request.scheduling,
                 .go = go.read.get(),
                 .start = start.write.get(),
                 .problem = problem.write.get(),
                 .outputs = request.outputs};
  if (!variables.empty()) {
    plan.environment = pointers_to(variables);
  }
  CPU_ZERO(&plan.cpus);
  for (int cpu : request.pin) {
    if (cpu < CPU_SETSIZE) {
      CPU_SET(static_cast<size_t>(cpu), &plan.cpus);
    }
    plan.pinned = true;
  }
  Child child;
  pid_t pid = 0;
  if (request.dies_with_us) {
    pid = TRY(child.fork_supervised(plan, go.write.get()));
  } else {
    pid = ::fork();
    if (pid == 0) {
      ::close(go.write.get());
      become(plan);
    }
  }
  if (pid <= 0) {
    return fail("Cannot start {}: {}.", terminal_text(words[0]), std::strerror(errno));
  }
  if (request.own_group) {
    ::setpgid(pid, pid);  // the child does it, too; either may be first
  }
  child.pid_ = pid;
  child.own_group_ = request.own_group;
  child.steal_ = StealTime(request.pin);
  child.started_ = std::move(start.read);
  child.go_ = std::move(go.write);
  child.problem_ = std::move(problem.read);
  if (!child.life_.valid()) {
    child.ended_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  }
  return child;
}

// Forks twice: the supervisor, and the program below it. Returns -1 if a fork failed, and sets
// errno.
Result<pid_t> Child::fork_supervised(ChildPlan& plan, int go_write) {
  Pipe life = TRY(make_pipe());
  Pipe report = TRY(make_pipe());
  supervisor_ = ::fork();
  if (supervisor_ == 0) {
    sigset_t all;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    plan.parent = ::getpid();
    pid_t program = ::fork();
    if (program == 0) {
      ::close(go_write);
      life.write.close();  // or the supervisor would not see that wick has ended
      become(plan);
    }
    pid_t number = program > 0 ? program : -errno;
    if (program > 0 && plan.own_group) {
      ::setpgid(program, program);  // before the group can be signalled
    }
    [[maybe_unused]] ssize_t sent = ::write(report.write.get(), &number, sizeof number);
    if (program < 0) {
      ::_exit(1);
    }
    supervise({.program = program,
               .has_group = plan.own_group,
               .leaves_processes = plan.leaves_processes},
              life.read.get(),
              report.write.get());
  }
  if (supervisor_ < 0) {
    return -1;
  }
  report.write.close();
  life_ = std::move(life.write);
  ended_ = std::move(report.read);
  pid_t program = -ECHILD;  // if the supervisor was killed at once
  [[maybe_unused]] bool received = read_value(ended_.get(), program);
  if (program < 0) {
    errno = -program;
    return -1;
  }
  return program;
}

Child::~Child() {
  bool waits = go_.valid() && !released_;
  go_.close();  // then a program that waits to be released ends
  if (life_.valid()) {
    life_.close();  // the supervisor kills the remaining processes
    ::waitpid(supervisor_, nullptr, 0);
  } else if (waits) {
    ::waitpid(pid_, nullptr, 0);
  }
}

int Child::release() {
  steal_.start();
  released_ = true;
  char go = 1;
  [[maybe_unused]] ssize_t sent = ::write(go_.get(), &go, 1);
  go_.close();
  int error = 0;
  bool failed = read_value(problem_.get(), error);
  problem_.close();
  if (!read_value(started_.get(), start_)) {
    start_ = {.monotonic_ns = monotonic_ns()};
  }
  started_.close();
  return failed ? error : 0;
}

std::optional<Child::End> Child::poll() {
  if (end_ || pid_ < 0) {
    return end_;
  }
  if (life_.valid()) {
    return poll_supervisor();
  }
  int status = 0;
  rusage usage = {};
  pid_t ended = ::wait4(pid_, &status, WNOHANG, &usage);
  if (ended == pid_) {
    bool signalled = WIFSIGNALED(status);
    end_ = end_of(signalled, signalled ? WTERMSIG(status) : WEXITSTATUS(status), usage);
    end_->monotonic_ns = monotonic_ns();
  } else if (ended < 0 && errno == ECHILD) {
    end_ = End{.monotonic_ns = monotonic_ns()};
  }
  return end_;
}

std::optional<Child::End> Child::poll_supervisor() {
  pollfd wait = {ended_.get(), POLLIN, 0};
  if (::poll(&wait, 1, 0) != 1) {
    return {};
  }
  SupervisedEnd end;
  if (read_value(ended_.get(), end)) {
    end_ = end_of(end.code != CLD_EXITED, end.status, end.usage);
    end_->monotonic_ns = end.monotonic_ns;
  } else {  // the supervisor was killed, and the program with it
    end_ = end_of(true, SIGKILL, {});
    end_->monotonic_ns = monotonic_ns();
  }
  life_.close();
  ::waitpid(supervisor_, nullptr, 0);
  return end_;
}

void Child::signal(int number) const {
  if (pid_ > 0 && !end_) {
    ::kill(own_group_ ? -pid_ : pid_, number);
  }
}

}  // namespace wick::record

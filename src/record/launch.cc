#include "record/launch.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/escape.h"
#include "record/channels.h"

namespace wick::record {
namespace {

// What the child does between fork and exec: only calls that are safe there.
struct ChildPlan {
  std::vector<char*> arguments;
  cpu_set_t cpus = {};
  bool pinned = false;
  sigset_t mask = {};
  rlimit descriptors = {};
  Scheduling scheduling;
  int go = -1;
  int problem = -1;
  std::array<int, 2> outputs = {STDOUT_FILENO, STDERR_FILENO};
};

[[noreturn]] void become(const ChildPlan& plan) {
  set_scheduling(plan.scheduling);
  ::setrlimit(RLIMIT_NOFILE, &plan.descriptors);
  if (plan.pinned) {
    ::sched_setaffinity(0, sizeof plan.cpus, &plan.cpus);
  }
  for (int i = 0; i < 2; ++i) {
    ::dup2(plan.outputs[static_cast<size_t>(i)], STDOUT_FILENO + i);
  }
  char go = 0;
  ssize_t got = 0;
  do {
    got = ::read(plan.go, &go, 1);
  } while (got < 0 && errno == EINTR);
  if (got == 1) {
    ::sigprocmask(SIG_SETMASK, &plan.mask, nullptr);
    ::execvp(plan.arguments[0], plan.arguments.data());
    int error = errno;
    [[maybe_unused]] ssize_t told = ::write(plan.problem, &error, sizeof error);
  }
  ::_exit(127);
}

int64_t nanoseconds(const timeval& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + int64_t{time.tv_usec} * 1000;
}

}  // namespace

Result<Child> Child::launch(const LaunchRequest& request, const sigset_t& mask) {
  Pipe go = TRY(make_pipe());
  Pipe problem = TRY(make_pipe());
  ChildPlan plan{.mask = mask,
                 .descriptors = original_descriptor_limit(),
                 .scheduling = request.scheduling,
                 .go = go.read.get(),
                 .problem = problem.write.get(),
                 .outputs = request.outputs};
  std::vector<std::string> words = request.command;
  for (std::string& word : words) {
    plan.arguments.push_back(word.data());
  }
  plan.arguments.push_back(nullptr);
  CPU_ZERO(&plan.cpus);
  for (int cpu : request.pin) {
    if (cpu < CPU_SETSIZE) {
      CPU_SET(static_cast<size_t>(cpu), &plan.cpus);
    }
    plan.pinned = true;
  }
  pid_t pid = ::fork();
  if (pid < 0) {
    return fail("{} could not be started: {}.", terminal_text(words[0]), std::strerror(errno));
  }
  if (pid == 0) {
    ::close(go.write.get());
    become(plan);
  }
  Child child;
  child.pid_ = pid;
  child.go_ = std::move(go.write);
  child.problem_ = std::move(problem.read);
  child.ended_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  return child;
}

Child::~Child() {
  if (pid_ > 0 && go_.valid() && !released_) {
    go_.close();
    ::waitpid(pid_, nullptr, 0);
  }
}

int Child::release() {
  released_ = true;
  char go = 1;
  [[maybe_unused]] ssize_t told = ::write(go_.get(), &go, 1);
  go_.close();
  int error = 0;
  ssize_t got = 0;
  do {
    got = ::read(problem_.get(), &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  problem_.close();
  return got == sizeof error ? error : 0;
}

std::optional<Child::End> Child::poll() {
  if (end_ || pid_ < 0) {
    return end_;
  }
  int status = 0;
  rusage usage = {};
  pid_t ended = ::wait4(pid_, &status, WNOHANG, &usage);
  if (ended == pid_) {
    End end{.user_ns = nanoseconds(usage.ru_utime), .system_ns = nanoseconds(usage.ru_stime)};
    end.signalled = WIFSIGNALED(status);
    end.status = end.signalled ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    end_ = end;
  } else if (ended < 0 && errno == ECHILD) {
    end_ = End{};
  }
  return end_;
}

void Child::signal(int number) const {
  if (pid_ > 0 && !end_) {
    ::kill(pid_, number);
  }
}

}  // namespace wick::record

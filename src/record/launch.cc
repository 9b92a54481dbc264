#include "record/launch.h"

#include <algorithm>
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
  std::vector<char*> environment;  // empty for the one that wick has
  const char* directory = nullptr;
  pid_t parent = 0;  // who must be alive, if anybody
  bool own_group = false;
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

// The world around the program, as it will find it.
void prepare(const ChildPlan& plan) {
  if (plan.own_group) {
    ::setpgid(0, 0);
  }
  if (plan.parent != 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != plan.parent) {
      ::_exit(127);  // it was too late for the signal
    }
  }
  set_scheduling(plan.scheduling);
  ::setrlimit(RLIMIT_NOFILE, &plan.descriptors);
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
    [[maybe_unused]] ssize_t told = ::write(plan.start, &start, sizeof start);
    ::execvp(plan.arguments[0], plan.arguments.data());
  }
  if (got == 1) {
    int error = errno;
    [[maybe_unused]] ssize_t told = ::write(plan.problem, &error, sizeof error);
  }
  ::_exit(127);
}

// Reads all of a value from a pipe; false when the other side closed it first.
template <typename T>
bool read_value(int descriptor, T& value) {
  ssize_t got = 0;
  do {
    got = ::read(descriptor, &value, sizeof value);
  } while (got < 0 && errno == EINTR);
  return got == sizeof value;
}

// "NAME=value" of wick's own variables and of those that come in addition.
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

}  // namespace

Result<Child> Child::launch(const LaunchRequest& request, const sigset_t& mask) {
  Pipe go = TRY(make_pipe());
  Pipe start = TRY(make_pipe());
  Pipe problem = TRY(make_pipe());
  std::vector<std::string> words = request.command;
  std::vector<std::string> variables = variables_with(request.environment);
  ChildPlan plan{.arguments = pointers_to(words),
                 .directory = request.directory.empty() ? nullptr : request.directory.c_str(),
                 .parent = request.dies_with_us ? ::getpid() : 0,
                 .own_group = request.own_group,
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
  pid_t pid = ::fork();
  if (pid < 0) {
    return fail("{} could not be started: {}.", terminal_text(words[0]), std::strerror(errno));
  }
  if (pid == 0) {
    ::close(go.write.get());
    become(plan);
  }
  Child child;
  if (request.own_group) {
    ::setpgid(pid, pid);  // as the child does, whoever comes first
  }
  child.pid_ = pid;
  child.own_group_ = request.own_group;
  child.started_ = std::move(start.read);
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
  int status = 0;
  rusage usage = {};
  pid_t ended = ::wait4(pid_, &status, WNOHANG, &usage);
  if (ended == pid_) {
    End end{.user_ns = nanoseconds(usage.ru_utime), .system_ns = nanoseconds(usage.ru_stime)};
    end.usage = usage;
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
    ::kill(own_group_ ? -pid_ : pid_, number);
  }
}

}  // namespace wick::record

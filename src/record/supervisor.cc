// SPDX-License-Identifier: Apache-2.0
#include "record/supervisor.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "record/machine.h"

namespace wick::record {
namespace {

constexpr uint64_t kMaxKillingNs = 2'000'000'000;  // then gives up on those stuck in the kernel
constexpr useconds_t kPauseMicroseconds = 500;
constexpr int kPollMilliseconds = 10;  // without a signalfd

class Supervisor {
 public:
  Supervisor(const Supervised& supervised, int life, int report)
      : program_(supervised.program),
        has_group_(supervised.has_group),
        leaves_processes_(supervised.leaves_processes),
        life_(life),
        report_(report) {}

  void run() {
    sigset_t mask;
    ::sigemptyset(&mask);
    ::sigaddset(&mask, SIGCHLD);
    child_events_ = ::signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC);
    while (!has_ended()) {
      if (!wait_for_either()) {
        kill_program();
        kill_descendants(true);
        return;
      }
    }
    if (!leaves_processes_) {
      kill_descendants(false);
    }
    [[maybe_unused]] ssize_t sent = ::write(report_, &end_, sizeof end_);
    char ignored = 0;
    while (::read(life_, &ignored, 1) < 0 && errno == EINTR) {
    }
    ::waitpid(program_, nullptr, 0);  // the supervisor must reap it, because init may not
  }

 private:
  // Leaves the program a zombie. (The system call returns its resource usage; glibc's function does
  // not.)
  bool has_ended() {
    siginfo_t info = {};
    ::syscall(SYS_waitid, P_PID, program_, &info, WEXITED | WNOHANG | WNOWAIT, &end_.usage);
    if (info.si_pid != program_) {
      return false;
    }
    end_.monotonic_ns = monotonic_ns();
    end_.code = info.si_code;
    end_.status = info.si_status;
    return true;
  }

  // False if wick has ended.
  bool wait_for_either() {
    std::array<pollfd, 2> waits = {pollfd{child_events_, POLLIN, 0}, pollfd{life_, POLLIN, 0}};
    ::poll(waits.data(), waits.size(), child_events_ >= 0 ? -1 : kPollMilliseconds);
    signalfd_siginfo ignored;
    while (::read(child_events_, &ignored, sizeof ignored) > 0) {
    }
    reap_orphans();
    return waits[1].revents == 0;
  }

  void reap_orphans() const {
    while (true) {
      siginfo_t info = {};
      bool some = ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
      if (!some || info.si_pid == 0 || info.si_pid == program_) {
        return;
      }
      ::waitpid(info.si_pid, nullptr, 0);
    }
  }

  void kill_program() const { ::kill(has_group_ ? -program_ : program_, SIGKILL); }

  // When a process is killed, its children become the supervisor's, so this repeats until there are
  // none.
  void kill_descendants(bool and_program) const {
    if (has_group_) {
      ::kill(-program_, SIGKILL);
    }
    uint64_t begin = monotonic_ns();
    while (monotonic_ns() - begin < kMaxKillingNs) {
      if (kill_children(and_program) == 0) {
        return;
      }
      ::usleep(kPauseMicroseconds);
    }
  }

  // Returns the number of children; reaps those that are already dead.
  int kill_children(bool and_program) const {
    std::array<char, 4096> text = {};
    std::array<char, 64> path = {};
    children_path(path);
    int file = ::open(path.data(), O_RDONLY | O_CLOEXEC);
    int found = 0;
    pid_t number = 0;
    for (ssize_t got = 0; (got = ::read(file, text.data(), text.size())) > 0;) {
      for (ssize_t i = 0; i < got; ++i) {
        char c = text[static_cast<size_t>(i)];
        if (c >= '0' && c <= '9') {
          number = number * 10 + (c - '0');
          continue;
        }
        if (number > 0 && (and_program || number != program_)) {
          ::kill(number, SIGKILL);
          ::waitpid(number, nullptr, WNOHANG);
          ++found;
        }
        number = 0;
      }
    }
    ::close(file);
    return found;
  }

  // "/proc/self/task/123/children"; formatting functions may allocate, so this does not use them.
  static void children_path(std::array<char, 64>& path) {
    constexpr std::string_view kBefore = "/proc/self/task/";
    constexpr std::string_view kAfter = "/children";
    std::array<char, 16> digits = {};
    size_t count = 0;
    for (pid_t rest = ::getpid(); rest > 0; rest /= 10) {
      digits[count++] = static_cast<char>('0' + rest % 10);
    }
    char* at = std::ranges::copy(kBefore, path.data()).out;
    at = std::reverse_copy(digits.begin(), digits.begin() + count, at);
    std::ranges::copy(kAfter, at);
  }

  pid_t program_;
  bool has_group_;
  bool leaves_processes_;
  int life_;
  int report_;
  int child_events_ = -1;
  SupervisedEnd end_;
};

}  // namespace

void supervise(const Supervised& supervised, int life, int report) {
  ::setpgid(0, 0);                          // detaches from the terminal
  ::prctl(PR_SET_NAME, "role-supervisor");  // not "wick": the supervisor must survive pkill -9 wick
  ::signal(SIGCHLD, SIG_DFL);
  close_all_but({std::min(life, report), std::max(life, report)});
  Supervisor(supervised, life, report).run();
  ::_exit(0);
}

}  // namespace wick::record

#include "experiment/run_and_wait.h"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/escape.h"

namespace wick {
namespace {

constexpr int kNotRun = 127;
constexpr int kPausesBeforeKill = 200;

[[noreturn]] void execute(const std::vector<std::string>& command, const std::string& directory) {
  std::vector<char*> words;
  for (const std::string& word : command) {
    words.push_back(const_cast<char*>(word.c_str()));
  }
  words.push_back(nullptr);
  if (directory.empty() || ::chdir(directory.c_str()) == 0) {
    ::execvp(words[0], words.data());
  }
  ::_exit(kNotRun);
}

int shell_status(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) != pid) {
    if (errno != EINTR) {
      return kNotRun;
    }
  }
  return shell_status(status);
}

// With no input, and its output on stderr; as a process group, so that all it starts can be
// reached.
pid_t start(const std::vector<std::string>& command, const std::string& directory, bool as_group) {
  pid_t pid = ::fork();
  if (pid == 0) {
    if (as_group) {
      ::setpgid(0, 0);
    }
    int nothing = ::open("/dev/null", O_RDONLY);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    execute(command, directory);
  }
  if (as_group && pid > 0) {
    ::setpgid(pid, pid);  // whoever of the two is first
  }
  return pid;
}

}  // namespace

int run_and_wait(const std::vector<std::string>& command, const std::string& directory) {
  pid_t pid = start(command, directory, false);
  return pid < 0 ? kNotRun : wait_for(pid);
}

int run_shell_line(const std::string& line, const std::string& directory) {
  return run_and_wait({"/bin/sh", "-c", line}, directory);
}

int run_stoppable_line(const std::string& line,
                       const std::string& directory,
                       const volatile std::sig_atomic_t& stop) {
  pid_t pid = start({"/bin/sh", "-c", line}, directory, true);
  if (pid < 0) {
    return kNotRun;
  }
  constexpr useconds_t kPause = 10'000;
  int pauses_since_told = -1;
  int status = 0;
  pid_t ended = 0;
  while ((ended = ::waitpid(pid, &status, WNOHANG)) == 0) {
    if (pauses_since_told < 0 && stop != 0) {
      ::kill(-pid, stop);
      pauses_since_told = 0;
    } else if (pauses_since_told >= 0 && ++pauses_since_told == kPausesBeforeKill) {
      ::kill(-pid, SIGKILL);
    }
    ::usleep(kPause);
  }
  return ended == pid ? shell_status(status) : kNotRun;
}

Result<std::string> output_of(const std::vector<std::string>& command) {
  std::array<int, 2> ends = {};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail("Cannot create a pipe; too many files are open.");
  }
  Descriptor reading(ends[0]);
  pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    execute(command, "");
  }
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer = {};
  while (true) {
    ssize_t got = ::read(reading.get(), buffer.data(), buffer.size());
    if (got > 0) {
      text.append(buffer.data(), static_cast<size_t>(got));
    } else if (got == 0 || errno != EINTR) {
      break;
    }
  }
  if (pid < 0 || wait_for(pid) != 0) {
    return fail("`{}` failed.", terminal_text(command[0]));
  }
  while (text.ends_with('\n')) {
    text.pop_back();
  }
  return text;
}

}  // namespace wick

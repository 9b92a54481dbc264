// SPDX-License-Identifier: Apache-2.0
#include "experiment/run_and_wait.h"

#include <array>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/escape.h"

namespace wick {
namespace {

constexpr int kNotRun = 127;

[[noreturn]] void execute(const std::vector<std::string>& command, const std::string& directory) {
  std::vector<char*> words;
  for (const std::string& word : command) {
    words.push_back(const_cast<char*>(word.c_str()));
  }
  words.push_back(nullptr);
  sigset_t none;  // wick may hold signals; the program must not
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
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

// Starts it without input, and with its output on stderr.
pid_t start(const std::vector<std::string>& command, const std::string& directory) {
  pid_t pid = ::fork();
  if (pid == 0) {
    int nothing = ::open("/dev/null", O_RDONLY);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    execute(command, directory);
  }
  return pid;
}

}  // namespace

int run_and_wait(const std::vector<std::string>& command, const std::string& directory) {
  pid_t pid = start(command, directory);
  return pid < 0 ? kNotRun : wait_for(pid);
}

int run_shell_line(const std::string& line, const std::string& directory) {
  return run_and_wait({"/bin/sh", "-c", line}, directory);
}

int run_for_output(const std::vector<std::string>& command, std::string& output) {
  std::array<int, 2> ends = {};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return kNotRun;
  }
  Descriptor reading(ends[0]);
  pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    execute(command, "");
  }
  ::close(ends[1]);
  std::array<char, 4096> buffer = {};
  while (true) {
    ssize_t got = ::read(reading.get(), buffer.data(), buffer.size());
    if (got > 0) {
      output.append(buffer.data(), static_cast<size_t>(got));
    } else if (got == 0 || errno != EINTR) {
      break;
    }
  }
  return pid < 0 ? kNotRun : wait_for(pid);
}

Result<std::string> output_of(const std::vector<std::string>& command) {
  std::string text;
  if (run_for_output(command, text) != 0) {
    return fail("`{}` failed.", terminal_text(command[0]));
  }
  while (text.ends_with('\n')) {
    text.pop_back();
  }
  return text;
}

}  // namespace wick

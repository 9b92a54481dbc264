// SPDX-License-Identifier: Apache-2.0
#include "experiment/temporary_directory.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/escape.h"
#include "experiment/run_and_wait.h"
#include "record/channels.h"

namespace wick {
namespace {

// Programs that still run below the directory are killed at the same time, by their supervisors. In
// between, they may create files.
constexpr int kTries = 30;
constexpr useconds_t kPauseMicroseconds = 100'000;

void close_all_but_life(int life) {
  int nowhere = ::open("/dev/null", O_RDWR);
  for (int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    ::dup2(nowhere, standard);
  }
  close_all_but({STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, life});
}

void remove_worktrees(const std::string& path) {
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator(path, problem)) {
    if (std::filesystem::exists(entry.path() / ".git", problem)) {
      // Twice: git locks a worktree while it creates it.
      run_and_wait({"git", "worktree", "remove", "--force", "--force", entry.path().string()});
    }
  }
}

[[noreturn]] void guard(const std::string& path, int life) {
  ::setpgid(0, 0);                       // the terminal's signals are for wick
  ::prctl(PR_SET_NAME, "role-cleaner");  // not "wick": it must survive pkill -9 wick
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  close_all_but_life(life);
  char ignored = 0;
  while (::read(life, &ignored, 1) < 0 && errno == EINTR) {
  }
  std::error_code problem;
  if (std::filesystem::exists(path, problem)) {
    remove_worktrees(path);
    for (int i = 0; i < kTries && std::filesystem::exists(path, problem); ++i) {
      std::filesystem::remove_all(path, problem);
      ::usleep(kPauseMicroseconds);
    }
  }
  ::_exit(0);
}

}  // namespace

Result<TemporaryDirectory> TemporaryDirectory::make(const std::string& prefix) {
  const char* base = std::getenv("TMPDIR");
  std::string path = fmt::format("{}/{}-XXXXXX", base == nullptr ? "/tmp" : base, prefix);
  record::Pipe life = TRY(record::make_pipe());
  if (::mkdtemp(path.data()) == nullptr) {
    return fail("Cannot create {}: {}.", terminal_text(path), std::strerror(errno));
  }
  TemporaryDirectory directory(path);
  directory.guard_ = ::fork();
  if (directory.guard_ == 0) {
    int read_end = life.read.release();
    life.write.close();
    guard(path, read_end);
  }
  directory.life_ = std::move(life.write);
  return directory;
}

TemporaryDirectory::~TemporaryDirectory() {
  if (path_.empty()) {
    return;
  }
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  life_.close();
  if (guard_ > 0) {
    ::waitpid(guard_, nullptr, 0);
  }
}

}  // namespace wick

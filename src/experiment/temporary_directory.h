// SPDX-License-Identifier: Apache-2.0
// A directory for the time of an experiment. Its destructor removes it with all its content.
//
// The problem: `kill -9` runs no destructor, and git worktrees in the directory would also stay
// registered in the user's repository. So make() forks a guard, a process that only waits for the
// end of wick (its end of a pipe closes). If the directory then still exists, the guard removes the
// worktrees in it and the directory. The guard is a fork of a process without threads, so it may
// allocate; make() must be called before wick starts threads.
#pragma once

#include <string>
#include <utility>

#include <sys/types.h>

#include "base/descriptor.h"
#include "base/result.h"

namespace wick {

class TemporaryDirectory {
 public:
  // Below $TMPDIR or /tmp; the name begins with `prefix`.
  static Result<TemporaryDirectory> make(const std::string& prefix);
  TemporaryDirectory(TemporaryDirectory&& other) noexcept
      : path_(std::exchange(other.path_, {})),
        guard_(std::exchange(other.guard_, -1)),
        life_(std::move(other.life_)) {}
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
  ~TemporaryDirectory();

  const std::string& path() const { return path_; }

 private:
  explicit TemporaryDirectory(std::string path) : path_(std::move(path)) {}

  std::string path_;
  pid_t guard_ = -1;
  Descriptor life_;  // the guard acts when this closes
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Checks out a commit of the current git repository in a separate directory, which this object
// removes at its end. So two commits can be built and run side by side, and the user's working copy
// does not change.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace wick {

class Worktree {
 public:
  // `directory` must not exist yet. An Error if git does not know the commit.
  static Result<Worktree> add(const std::string& commit, std::string directory);
  Worktree(Worktree&& other) noexcept
      : directory_(std::exchange(other.directory_, {})),
        commit_(std::move(other.commit_)),
        below_(std::move(other.below_)) {}
  Worktree& operator=(Worktree&&) = delete;
  ~Worktree();

  // The directory in the worktree that corresponds to the current directory.
  std::string directory() const;
  // Short, as git prints it.
  const std::string& commit() const { return commit_; }

 private:
  Worktree(std::string directory, std::string commit, std::string below)
      : directory_(std::move(directory)), commit_(std::move(commit)), below_(std::move(below)) {}

  std::string directory_;
  std::string commit_;
  std::string below_;  // from the repository's root to the current directory
};

// Splits "A..B"; a usage Error if it is something else.
Result<std::pair<std::string, std::string>> split_commits(const std::string& text);

}  // namespace wick

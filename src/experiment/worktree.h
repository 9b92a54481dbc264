// SPDX-License-Identifier: Apache-2.0
// A commit of the current git repository in a directory of its own, which is removed with this
// object: two commits can be built and run side by side, and nobody's working copy is touched.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace wick {

class Worktree {
 public:
  // `directory` must not exist yet. An Error when the commit is not known.
  static Result<Worktree> add(const std::string& commit, std::string directory);
  Worktree(Worktree&& other) noexcept
      : directory_(std::exchange(other.directory_, {})),
        commit_(std::move(other.commit_)),
        below_(std::move(other.below_)) {}
  Worktree& operator=(Worktree&&) = delete;
  ~Worktree();

  // Where the current directory's counterpart is.
  std::string directory() const;
  // Short, as git says it.
  const std::string& commit() const { return commit_; }

 private:
  Worktree(std::string directory, std::string commit, std::string below)
      : directory_(std::move(directory)), commit_(std::move(commit)), below_(std::move(below)) {}

  std::string directory_;
  std::string commit_;
  std::string below_;  // from the repository's root to where we are
};

// "A..B" split; an Error (usage) when it is not that.
Result<std::pair<std::string, std::string>> split_commits(const std::string& text);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "experiment/worktree.h"

#include "base/escape.h"
#include "experiment/run_and_wait.h"

namespace wick {

Result<Worktree> Worktree::add(const std::string& commit, std::string directory) {
  // With --verify and the suffix, git does not accept a flag or an object that is not a commit.
  Result<std::string> name = output_of({"git",
                                        "rev-parse",
                                        "--quiet",
                                        "--short",
                                        "--verify",
                                        "--end-of-options",
                                        commit + "^{commit}"});
  if (!name) {
    return fail("git finds no commit \"{}\" in this repository.", terminal_text(commit));
  }
  std::string below = TRY(output_of({"git", "rev-parse", "--show-prefix"}));
  if (run_and_wait({"git", "worktree", "add", "--quiet", "--detach", directory, *name}) != 0) {
    return fail("git could not check out {} into {}.", terminal_text(commit), directory);
  }
  return Worktree(std::move(directory), *std::move(name), std::move(below));
}

Worktree::~Worktree() {
  if (!directory_.empty()) {
    run_and_wait({"git", "worktree", "remove", "--force", directory_});
  }
}

std::string Worktree::directory() const {
  return below_.empty() ? directory_ : directory_ + "/" + below_;
}

Result<std::pair<std::string, std::string>> split_commits(const std::string& text) {
  size_t dots = text.find("..");
  size_t end = dots == std::string::npos ? dots : text.find_first_not_of('.', dots);
  if (dots == std::string::npos || dots == 0 || end != dots + 2 || end == std::string::npos) {
    return fail_usage("--git takes two commits, BEFORE..AFTER, not \"{}\".", terminal_text(text));
  }
  return std::pair(text.substr(0, dots), text.substr(end));
}

}  // namespace wick

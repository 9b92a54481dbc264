// SPDX-License-Identifier: Apache-2.0
#include "experiment/worktree.h"

#include <gtest/gtest.h>

#include "experiment/run_and_wait.h"

namespace wick {
namespace {

TEST(Worktree, TwoCommitsAreSplit) {
  Result<std::pair<std::string, std::string>> commits = split_commits("v1.2..HEAD~1");
  ASSERT_TRUE(commits);
  EXPECT_EQ(commits->first, "v1.2");
  EXPECT_EQ(commits->second, "HEAD~1");
  for (const char* text : {"", "a", "a..", "..b", "a...b", ".."}) {
    EXPECT_FALSE(split_commits(text)) << text;
  }
}

TEST(RunAndWait, GivesTheStatusOfAShell) {
  EXPECT_EQ(run_and_wait({"sh", "-c", "exit 3"}), 3);
  EXPECT_EQ(run_and_wait({"sh", "-c", "kill -9 $$"}), 137);
  EXPECT_EQ(run_and_wait({"no such program"}), 127);
  EXPECT_EQ(run_and_wait({"sh", "-c", "test \"$PWD\" = /"}, "/"), 0);
}

TEST(RunAndWait, TakesOutput) {
  EXPECT_EQ(output_of({"echo", "two words"}).value_or(""), "two words");
  EXPECT_FALSE(output_of({"false"}));
}

}  // namespace
}  // namespace wick

#include "experiment/worktree.h"

#include <chrono>
#include <thread>

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
  EXPECT_EQ(run_shell_line("exit 3"), 3);
  EXPECT_EQ(run_shell_line("kill -9 $$"), 137);
  EXPECT_EQ(run_and_wait({"no such program"}), 127);
  EXPECT_EQ(run_shell_line("test \"$PWD\" = /", "/"), 0);
}

TEST(RunAndWait, AStopReachesAllThatWasStarted) {
  volatile std::sig_atomic_t stop = 0;
  EXPECT_EQ(run_stoppable_line("exit 3", "", stop), 3);
  auto stopped = [&](const std::string& line) {
    stop = 0;
    std::jthread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      stop = SIGTERM;
    });
    return run_stoppable_line(line, "", stop);
  };
  EXPECT_EQ(stopped("sleep 100 && exit 1"), 128 + SIGTERM);
  EXPECT_EQ(stopped("trap '' TERM; sleep 100; sleep 100; exit 1"), 128 + SIGKILL);
}

TEST(RunAndWait, TakesOutput) {
  EXPECT_EQ(output_of({"echo", "two words"}).value_or(""), "two words");
  EXPECT_FALSE(output_of({"false"}));
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// What is left of processes and threads that ended.
#include "pipeline/processes.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

constexpr int32_t kShell = 100;

EventContext at(int32_t pid, int32_t tid) {
  return {.time_ns = 1, .pid = pid, .tid = tid};
}

void fork(Processes& processes, int32_t parent, int32_t child) {
  processes.on_fork({.at = at(child, child), .parent_pid = parent, .parent_tid = parent});
}

void end(Processes& processes, int32_t pid) {
  processes.on_exit({.at = at(pid, pid)});
}

bool drop(Processes& processes, int32_t pid) {
  TaskKey key = {MachineId::kHost, pid};
  processes.drop_thread(key);
  bool may = processes.may_drop(key);
  if (may) {
    processes.drop_process(key);
  }
  return may;
}

TEST(Processes, NothingIsLeftOfAProcessThatEnded) {
  Processes processes;
  for (int32_t pid = 1000; pid < 2000; ++pid) {
    fork(processes, kShell, pid);
    processes.map({MachineId::kHost, pid}, {.start = 0x1000, .end = 0x2000});
    end(processes, pid);
    EXPECT_TRUE(drop(processes, pid));
  }
  EXPECT_EQ(processes.process_count(), 1U) << "the shell";
  EXPECT_EQ(processes.thread_count(), 1U);
}

TEST(Processes, ARunningProcessIsNotDropped) {
  Processes processes;
  fork(processes, kShell, 1000);
  EXPECT_FALSE(drop(processes, 1000));
  end(processes, 1000);
  fork(processes, kShell, 1000);  // another one with the same number
  EXPECT_FALSE(drop(processes, 1000));
  EXPECT_EQ(processes.thread_count(), 2U);
}

TEST(Processes, AParentStaysAsLongAsItsChildren) {
  Processes processes;
  fork(processes, kShell, 1000);
  fork(processes, 1000, 1001);
  end(processes, 1000);
  EXPECT_FALSE(drop(processes, 1000)) << "the row of its child refers to it";
  end(processes, 1001);
  EXPECT_TRUE(drop(processes, 1001));
  EXPECT_TRUE(drop(processes, 1000));
}

TEST(Processes, ChildrenOfAnEarlierProcessDoNotCount) {
  Processes processes;
  fork(processes, kShell, 1000);
  fork(processes, 1000, 1001);
  end(processes, 1000);
  fork(processes, kShell, 1000);
  fork(processes, 1000, 1002);
  end(processes, 1001);
  EXPECT_TRUE(drop(processes, 1001));
  end(processes, 1000);
  EXPECT_FALSE(drop(processes, 1000)) << "1002 is a child of the second one";
}

}  // namespace
}  // namespace wick

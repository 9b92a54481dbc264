// SPDX-License-Identifier: Apache-2.0
#include "experiment/measured_run.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>

namespace wick {
namespace {

RunRequest shell(const std::string& line) {
  RunRequest request;
  request.command = {"/bin/sh", "-c", line};
  return request;
}

Result<MeasuredRun> measure(const RunRequest& request) {
  record::HeldSignals signals;
  return measure_run(request, signals);
}

TEST(MeasuredRun, ReportsTimeAndStatus) {
  Result<MeasuredRun> run = measure(shell("sleep 0.2; exit 3"));
  ASSERT_TRUE(run);
  EXPECT_EQ(run->status, 3);
  EXPECT_FALSE(run->signalled);
  EXPECT_GE(run->wall_seconds, 0.2);
  EXPECT_LT(run->wall_seconds, 5);
  EXPECT_LT(run->user_seconds + run->system_seconds, run->wall_seconds);
  EXPECT_GE(run->voluntary_switches, 1U);
}

TEST(MeasuredRun, CountsChildrenThatWereWaitedFor) {
  // Each dd touches its buffer of 32 MiB.
  Result<MeasuredRun> one =
      measure(shell("dd if=/dev/zero of=/dev/null bs=32M count=1 2>/dev/null"));
  Result<MeasuredRun> two =
      measure(shell("dd if=/dev/zero of=/dev/null bs=32M count=1 2>/dev/null; "
                    "dd if=/dev/zero of=/dev/null bs=32M count=1 2>/dev/null; true"));
  ASSERT_TRUE(one && two);
  EXPECT_GT(one->peak_bytes, 32U << 20);
  if (!one->peak_is_bound) {  // sanitizers make this process larger than its child
    EXPECT_LT(two->peak_bytes, 60U << 20) << "the peak is one process's";
  }
  EXPECT_GT(two->minor_faults, one->minor_faults * 3 / 2);
}

TEST(MeasuredRun, WhatWickHadBeforeIsNotTheProgramsPeak) {
  std::string ballast(64U << 20, 'x');
  Result<MeasuredRun> run = measure(shell("exit 0"));
  ASSERT_TRUE(run);
  EXPECT_TRUE(run->peak_is_bound) << run->peak_bytes;
  EXPECT_EQ(ballast.back(), 'x');
}

TEST(MeasuredRun, SaysWhichSignalEndedIt) {
  Result<MeasuredRun> run = measure(shell("kill -9 $$"));
  ASSERT_TRUE(run);
  EXPECT_EQ(run->status, 128 + 9);
  EXPECT_TRUE(run->signalled);
  EXPECT_FALSE(run->succeeded());
}

TEST(MeasuredRun, TimeoutEndsTheWholeGroup) {
  RunRequest request = shell("sleep 30 & sleep 30; exit 0");
  request.timeout_seconds = 0.2;
  request.own_group = true;
  Result<MeasuredRun> run = measure(request);
  ASSERT_TRUE(run);
  EXPECT_TRUE(run->timed_out);
  EXPECT_FALSE(run->succeeded());
  EXPECT_LT(run->wall_seconds, 2);
}

// All processes that a supervised program leaves running, in any session, have ended when wick
// reports its end.
TEST(MeasuredRun, NoProcessOutlivesASupervisedProgram) {
  std::string path = ::testing::TempDir() + "/measured_run_orphan";
  RunRequest request =
      shell("setsid sh -c 'echo $$ >" + path + "; sleep 30 & sleep 30' & while [ ! -s " + path +
            " ]; do sleep 0.01; done; exit 3");
  request.own_group = true;
  request.dies_with_us = true;
  ::unlink(path.c_str());
  Result<MeasuredRun> run = measure(request);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->status, 3);
  EXPECT_FALSE(run->signalled);
  EXPECT_GT(run->user_seconds + run->system_seconds, 0);
  EXPECT_LT(run->wall_seconds, 20);
  std::ifstream file(path);
  pid_t orphan = 0;
  file >> orphan;
  ASSERT_GT(orphan, 1);
  EXPECT_NE(::kill(orphan, 0), 0);
  EXPECT_EQ(errno, ESRCH);
}

// Not even a zombie remains: in a container there may be no init process that reaps it.
TEST(MeasuredRun, ASupervisedProgramIsReaped) {
  sigset_t mask;
  ::sigprocmask(SIG_SETMASK, nullptr, &mask);
  RunRequest request = shell("exit 0");
  request.dies_with_us = true;
  Result<MeasuredProcess> process = MeasuredProcess::start(request, mask);
  ASSERT_TRUE(process);
  pid_t pid = process->pid();
  pollfd wait = {process->descriptor(), POLLIN, 0};
  ::poll(&wait, 1, -1);
  EXPECT_EQ(::kill(pid, 0), 0) << "its number is reserved until its end was reported";
  EXPECT_TRUE(process->poll());
  EXPECT_NE(::kill(pid, 0), 0);
}

TEST(MeasuredRun, ASupervisedProgramThatIsForgottenIsEnded) {
  sigset_t mask;
  ::sigprocmask(SIG_SETMASK, nullptr, &mask);
  RunRequest request = shell("sleep 30");
  request.own_group = true;
  request.dies_with_us = true;
  pid_t pid = 0;
  {
    Result<MeasuredProcess> process = MeasuredProcess::start(request, mask);
    ASSERT_TRUE(process);
    pid = process->pid();
    EXPECT_EQ(::kill(pid, 0), 0);
    EXPECT_FALSE(process->poll());
  }
  EXPECT_NE(::kill(pid, 0), 0);
}

TEST(MeasuredRun, WhoDoesNotListenIsKilled) {
  RunRequest request = shell("trap '' TERM; while :; do sleep 0.05; done");
  request.timeout_seconds = 0.1;
  Result<MeasuredRun> run = measure(request);
  ASSERT_TRUE(run);
  EXPECT_TRUE(run->timed_out);
  EXPECT_EQ(run->status, 128 + 9);
}

TEST(MeasuredRun, GivesVariablesDirectoryAndOutput) {
  std::string path = ::testing::TempDir() + "/measured_run_output";
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  RunRequest request = shell("echo \"$WICK_ADDED $HOME $PWD\"");
  request.environment = {{"WICK_ADDED", "two words"}, {"HOME", "/nowhere"}};
  request.directory = "/";
  request.outputs[0] = file.get();
  Result<MeasuredRun> run = measure(request);
  ASSERT_TRUE(run);
  std::string text(64, '\0');
  text.resize(
      static_cast<size_t>(std::max<ssize_t>(0, ::pread(file.get(), text.data(), text.size(), 0))));
  EXPECT_EQ(text, "two words /nowhere /\n");
  std::filesystem::remove(path);
}

TEST(MeasuredRun, WhatCannotRunIsSaid) {
  RunRequest request;
  request.command = {"no such program"};
  Result<MeasuredRun> run = measure(request);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().message, "Cannot run no such program: No such file or directory.");
  request = shell("exit 0");
  request.directory = "/no/such/directory";
  run = measure(request);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().message,
            "Cannot run /bin/sh in /no/such/directory: No such file or directory.");
  request = shell("exit 0");
  request.cpus = {4000};
  EXPECT_FALSE(measure(request));
}

TEST(MeasuredRun, MetricsHaveNoZerosForWhatWasNotCounted) {
  MeasuredRun run{.wall_seconds = 2};
  run.counters = {{.name = "task-clock", .value = 500'000'000, .enabled_ns = 1, .running_ns = 1},
                  {.name = "cycles", .missing = "not here"}};
  std::vector<RunMetric> metrics = metrics_of(run);
  auto find = [&](std::string_view name) {
    return std::ranges::find(metrics, name, &RunMetric::name);
  };
  EXPECT_EQ(find("wall")->value, 2);
  EXPECT_EQ(find("task-clock")->value, 0.5);
  EXPECT_EQ(find("cycles"), metrics.end());
  EXPECT_EQ(find("migrations"), metrics.end());
}

}  // namespace
}  // namespace wick

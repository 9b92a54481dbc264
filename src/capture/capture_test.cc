// SPDX-License-Identifier: Apache-2.0
// Uses capture and acquire like a small program: records a command, looks at the recording, and
// reads the file again.
#include "capture/capture.h"

#include <csignal>
#include <cstdlib>
#include <optional>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "acquire/acquire.h"
#include "profile/dump.h"
#include "profile/validate.h"
#include "tests/support/files.h"

namespace wick::capture {
namespace {

using testing::ScratchDir;

const std::vector<std::string> kBusy = {
    "/bin/sh", "-c", "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done"};
const std::vector<std::string> kForever = {"/bin/sh", "-c", "while :; do :; done"};

// Nothing if this kernel does not allow recording.
std::optional<Recording> recorded(const Request& request, const Calls& calls = {}) {
  Result<Recording> recording = run(request, calls);
  if (!recording && recording.error().message.find("perf_event") != std::string::npos) {
    return std::nullopt;
  }
  EXPECT_TRUE(recording) << recording.error().message;
  return recording ? std::optional(std::move(*recording)) : std::nullopt;
}

TEST(Capture, RecordsACommandIntoAFileThatAcquireReads) {
  ScratchDir scratch;
  Request request = request_to_run(kBusy);
  request.path = scratch.file("busy.wick");
  std::optional<Recording> recording = recorded(request);
  if (!recording) {
    GTEST_SKIP() << "perf_event_open is not allowed";
  }
  EXPECT_EQ(recording->status, 0);
  EXPECT_GT(recording->profile.samples.size(), 0U);
  Result<acquire::Acquired> again = acquire::read({request.path});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(dump(again->profile), dump(recording->profile));
  EXPECT_EQ(again->stored_bytes, recording->bytes);
}

// A sweep records like this: the root of the recorded process tree is a fork of this process.
TEST(Capture, RecordsAFunctionAndAllThatItStarts) {
  ScratchDir scratch;
  Request request = request_to_run(std::vector<std::string>{"a function"});
  request.session.launch.dies_with_us = true;
  int open_before = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  request.session.launch.body = [&] {
    bool is_closed = ::fcntl(open_before, F_GETFD) < 0;
    testing::write_file(scratch.file("seen"), is_closed ? "closed" : "open");
    return std::system("i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done") == 0 ? 5 : 6;
  };
  std::optional<Recording> recording = recorded(request);
  ::close(open_before);
  if (!recording) {
    GTEST_SKIP() << "perf_event_open is not allowed";
  }
  EXPECT_EQ(recording->status, 5);
  EXPECT_EQ(testing::read_file(scratch.file("seen")), "closed");
  EXPECT_TRUE(recording->end.cpu_time) << "its end says what it used";
  EXPECT_NE(dump(recording->profile).find("sh"), std::string::npos) << "its child was recorded";
}

TEST(Capture, RefusesToForkAProcessWithThreads) {
  Request request = request_to_run(std::vector<std::string>{"a function"});
  request.session.launch.body = [] { return 0; };
  std::jthread other([](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      ::usleep(1000);
    }
  });
  Result<Recording> recording = run(request);
  ASSERT_FALSE(recording);
  EXPECT_NE(recording.error().message.find("threads"), std::string::npos);
}

TEST(Capture, NeedsNoFile) {
  Request request = request_to_run(kForever);
  request.session.duration_s = 1.2;
  int calls = 0;
  Status last;
  std::optional<Recording> recording = recorded(request, {.status = [&](const Status& status) {
                                                  ++calls;
                                                  last = status;
                                                }});
  if (!recording) {
    GTEST_SKIP() << "perf_event_open is not allowed";
  }
  EXPECT_EQ(recording->status, 0) << "it ended as asked";
  EXPECT_EQ(recording->bytes, 0U);
  EXPECT_GT(recording->profile.samples.size(), 0U);
  EXPECT_GE(calls, 1);
  EXPECT_GT(last.samples, 0U);
}

// Records two and a half seconds of a loop; each window takes its user `nap_ms`.
std::optional<Recording> in_windows(int nap_ms, std::vector<Profile>& windows) {
  Request request = request_to_run(kForever);
  request.session.duration_s = 2.5;
  return recorded(request, {.window = [&](Profile window) {
                    ::usleep(static_cast<useconds_t>(nap_ms) * 1000);
                    windows.push_back(std::move(window));
                  }});
}

void expect_all_samples(const Recording& recording, const std::vector<Profile>& windows) {
  size_t samples = recording.profile.samples.size();
  for (const Profile& window : windows) {
    EXPECT_TRUE(validate(window));
    EXPECT_GT(window.samples.size(), 0U);
    EXPECT_NE(dump(window).find("libc"), std::string::npos) << "modules stay from window to window";
    samples += window.samples.size();
  }
  EXPECT_EQ(samples, recording.end.samples);
  EXPECT_GT(recording.complete_share, 0.5) << "of all windows";
}

TEST(Capture, HandsOverAWindowEachSecond) {
  std::vector<Profile> windows;
  std::optional<Recording> recording = in_windows(0, windows);
  if (!recording) {
    GTEST_SKIP() << "perf_event_open is not allowed";
  }
  EXPECT_GE(windows.size(), 2U);
  expect_all_samples(*recording, windows);
}

TEST(Capture, ASlowUserOfWindowsGetsFewerAndLosesNothing) {
  std::vector<Profile> windows;
  std::optional<Recording> recording = in_windows(1'500, windows);
  if (!recording) {
    GTEST_SKIP() << "perf_event_open is not allowed";
  }
  EXPECT_GE(windows.size(), 1U);
  EXPECT_LE(windows.size(), 2U);
  expect_all_samples(*recording, windows);
}

TEST(Capture, RefusesAFileAndWindowsTogether) {
  Request request = request_to_run(kBusy);
  request.path = "never.wick";
  Result<Recording> recording = run(request, {.window = [](const Profile&) {}});
  ASSERT_FALSE(recording);
  EXPECT_NE(recording.error().message.find("not both"), std::string::npos);
}

TEST(Capture, AProgramThatDoesNotExistLeavesTheOlderFile) {
  ScratchDir scratch;
  Request request = request_to_run(std::vector<std::string>{scratch.file("missing")});
  request.path = scratch.file("a.wick");
  testing::write_file(request.path, "older");
  std::vector<std::string> printed;
  std::optional<Recording> recording =
      recorded(request, {.print = [&](const std::string& text) { printed.push_back(text); }});
  if (!recording) {
    GTEST_SKIP() << "perf_event_open is not allowed";
  }
  EXPECT_FALSE(recording->ran);
  EXPECT_EQ(recording->status, kNotFound);
  ASSERT_EQ(printed.size(), 1U);
  EXPECT_EQ(testing::read_file(request.path), "older");
}

TEST(Capture, ATargetThatIsKilledLeavesAWholeRecording) {
  ScratchDir scratch;
  Request request = request_to_run({"/bin/sh",
                                    "-c",
                                    "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); "
                                    "done; kill -9 $$"});
  request.path = scratch.file("killed.wick");
  std::optional<Recording> recording = recorded(request);
  if (!recording) {
    GTEST_SKIP() << "perf_event_open is not allowed";
  }
  EXPECT_EQ(recording->status, 128 + SIGKILL);
  ASSERT_TRUE(acquire::read({request.path}));
}

TEST(Capture, ARequestWithoutATargetIsRefused) {
  for (const Request& request : {request_to_run({}), request_to_attach({})}) {
    Result<Recording> recording = run(request, {});
    ASSERT_FALSE(recording);
    EXPECT_EQ(recording.error().message,
              "There is nothing to record: neither a command nor a process.");
  }
}

TEST(Capture, ARequestWithoutAnEventIsRefused) {
  Request request;
  request.session.launch.command = {"/bin/true"};
  Result<Recording> recording = run(request, {});
  ASSERT_FALSE(recording);
  EXPECT_EQ(recording.error().message,
            "There is no event to record; request_to_run() makes a request with the usual one.");
}

TEST(Capture, AProcessThatDoesNotExistIsRefused) {
  constexpr int32_t kNoPid = 1 << 30;  // beyond the largest pid of any kernel
  Result<Recording> recording = run(request_to_attach({kNoPid}), {});
  ASSERT_FALSE(recording);
  EXPECT_EQ(recording.error().message,
            "There is no process 1073741824; `ps -e` lists all processes.");
}

TEST(Capture, AFullDiskEndsTheRecordingAndNotTheProgram) {
  ScratchDir scratch;
  Request request = request_to_run(
      {"/bin/sh",
       "-c",
       "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; : > " + scratch.file("end")});
  request.path = scratch.file("full.wick");
  std::vector<std::string> printed;
  // Simulates a full disk with a limit on the size of the files that this process writes. The
  // program inherits the limit, but /bin/sh never reaches it.
  rlimit before = {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = {.rlim_cur = 512, .rlim_max = before.rlim_max};
  ::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  Result<Recording> recording =
      run(request, {.print = [&](const std::string& text) { printed.push_back(text); }});
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, SIG_DFL);
  ASSERT_FALSE(recording) << "nothing could be written";
  if (recording.error().message.find("perf_event") != std::string::npos) {
    GTEST_SKIP() << "perf_event_open is not allowed";
  }
  EXPECT_NE(recording.error().message.find("full.wick"), std::string::npos)
      << recording.error().message;
  EXPECT_EQ(::access(scratch.file("end").c_str(), F_OK), 0) << "the program was not stopped";
  ASSERT_EQ(printed.size(), 1U);
  EXPECT_NE(printed[0].find("ecording stopped"), std::string::npos) << printed[0];
}

}  // namespace
}  // namespace wick::capture

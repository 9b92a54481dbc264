// SPDX-License-Identifier: Apache-2.0
// Runs the live path once, briefly, for the sanitizers: a real recording goes through the rings, the
// thread that drains them, the workers that unwind, the thread that assembles, the thread that
// looks up names, and the feedback to the kernel's programs.
//
// tests/record checks recordings, with the released program. In this test a race or a bad access
// ends the test, in a program that has only the folders of the live path, so that two seconds of it
// fit into every run. The assertions say that each kind of event came through; tests/record checks
// shares, since a sanitized recorder is slow.
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/batch_worker.h"
#include "base/file_cache.h"
#include "pipeline/pipeline.h"
#include "profile/validate.h"
#include "record/event_names.h"
#include "record/session.h"

namespace wick {
namespace {

// Uses the profile while samples come in: a growing file reads all of it, a live view cuts off
// windows, and another thread looks up their names.
enum class Use : uint8_t { kGrowingFile, kWindows };

class Watcher : public record::SessionWatcher {
 public:
  Watcher(Pipeline& pipeline, Use use)
      : pipeline_(pipeline), use_(use), namer_([this](RecordedWindow& window) {
          windows_.push_back(pipeline_.named(std::move(window)));
        }) {}

  void on_start() override { started_ = true; }
  bool on_tick(const record::SessionStatus& /*status*/) override {
    if (use_ == Use::kGrowingFile) {
      read_so_far();
    } else if (namer_.is_idle()) {
      RecordedWindow window = pipeline_.cut();
      seen_ += window.profile.samples.size();
      namer_.exchange(std::move(window));
    } else {
      pipeline_.look_up_names();
    }
    return true;
  }

  bool started() const { return started_; }
  size_t seen() const { return seen_; }
  // All windows; ends the thread that looks up names.
  std::vector<Profile> take_windows() {
    namer_.finish();
    return std::move(windows_);
  }

 private:
  void read_so_far() {
    pipeline_.with_profile_so_far([&](const Profile& profile) {
      EXPECT_GE(profile.samples.size(), seen_) << "samples are only added";
      seen_ = profile.samples.size();
    });
  }

  Pipeline& pipeline_;
  Use use_;
  bool started_ = false;
  size_t seen_ = 0;
  std::vector<Profile> windows_;  // the namer's until it has finished
  BatchWorker<RecordedWindow> namer_;
};

record::SessionRequest request(bool per_thread) {
  record::SessionRequest session;
  session.launch.command = {WICK_LIVE_TARGET, WICK_LIVE_LIBRARY};
  session.launch.scheduling = record::current_scheduling();
  record::EventRequest event = record::default_event();
  event.frequency = 997;
  session.recorder.events = {event};
  session.recorder.per_thread = per_thread;
  return session;
}

// Sums over all windows of a recording.
struct Content {
  std::set<std::string, std::less<>> names;
  std::set<int64_t> threads;
  std::set<int64_t> processes;
  size_t samples = 0;
  size_t complete = 0;

  void add(const Profile& profile) {
    Result<> valid = validate(profile);
    EXPECT_TRUE(valid) << valid.error().message;
    for (const Function& function : profile.functions) {
      names.emplace(profile.strings[function.name]);
    }
    for (const Thread& thread : profile.threads) {
      threads.insert(thread.tid);
    }
    for (const Process& process : profile.processes) {
      processes.insert(process.pid);
    }
    samples += profile.samples.size();
    for (size_t row = 0; row < profile.samples.size(); ++row) {
      complete += profile.samples.ending[row] == StackEnd::kComplete ? 1U : 0U;
    }
  }
};

void record_target(bool per_thread, Use use) {
  record::HeldSignals signals;
  NameOptions sources{.files = default_file_search(), .kallsyms = {}, .cache = {}};
  Pipeline pipeline(sources, {.stitches = true, .is_live = true});
  record::SessionRequest session = request(per_thread);
  session.recorder.feedback = &pipeline;
  Watcher watcher(pipeline, use);
  Result<record::SessionEnd> end = record::run_session(session, pipeline, watcher, signals);
  if (!end) {
    ASSERT_NE(end.error().message.find("perf_event"), std::string::npos) << end.error().message;
    GTEST_SKIP() << "perf_event_open is not allowed";
  }
  ASSERT_EQ(end->exec_error, 0);
  ASSERT_TRUE(end->child);
  EXPECT_EQ(end->child->status, 0);
  EXPECT_TRUE(watcher.started());
  EXPECT_GT(watcher.seen(), 0U) << "samples arrive while the target runs";

  Content content;
  for (const Profile& window : watcher.take_windows()) {
    content.add(window);
  }
  content.add(pipeline.finish());
  EXPECT_EQ(content.samples, end->samples);
  EXPECT_GE(content.samples, 200U);
  EXPECT_GE(content.samples, watcher.seen());
  EXPECT_GE(content.threads.size(), 1U + 12 + 2) << "the main thread, 12 others, two children";
  EXPECT_GE(content.processes.size(), 3U);
  for (const char* name :
       {"main", "live_in_thread", "live_in_library", "live_in_child", "live_after_exec"}) {
    EXPECT_TRUE(content.names.contains(name)) << name;
  }
  EXPECT_GE(content.complete, content.samples / 2);
}

TEST(LiveRecording, OfThreadsLibrariesAndChildren) {
  record_target(false, Use::kGrowingFile);
}

TEST(LiveRecording, WithAnEventForEachThreadInWindows) {
  record_target(true, Use::kWindows);
}

}  // namespace
}  // namespace wick

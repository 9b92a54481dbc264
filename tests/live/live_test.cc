// SPDX-License-Identifier: Apache-2.0
// The live path once, in short, for the sanitizers: a real recording goes through the rings, the
// thread that drains them, the workers that unwind, the thread that assembles, and the feedback
// from there to the kernel's programs.
//
// tests/record judges recordings, with the program that people get. Here a race or a bad access
// ends the test, in a program that has only the folders of the live path, so that two seconds of it
// fit into every run. The assertions say that each kind of event came through; shares are left to
// tests/record, since a sanitized recorder is slow.
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/file_cache.h"
#include "pipeline/pipeline.h"
#include "profile/validate.h"
#include "record/event_names.h"
#include "record/session.h"

namespace wick {
namespace {

// As a growing file does it: it reads the profile so far while samples come in.
class Watcher : public record::SessionWatcher {
 public:
  explicit Watcher(Pipeline& pipeline) : pipeline_(pipeline) {}

  void on_start() override { started_ = true; }
  bool on_tick(const record::SessionStatus& /*status*/) override {
    pipeline_.with_profile_so_far([&](const Profile& profile) {
      EXPECT_GE(profile.samples.size(), seen_) << "samples are only added";
      seen_ = profile.samples.size();
    });
    return true;
  }

  bool started() const { return started_; }
  size_t seen() const { return seen_; }

 private:
  Pipeline& pipeline_;
  bool started_ = false;
  size_t seen_ = 0;
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

std::set<std::string, std::less<>> names_of(const Profile& profile) {
  std::set<std::string, std::less<>> names;
  for (const Function& function : profile.functions) {
    names.emplace(profile.strings[function.name]);
  }
  return names;
}

uint64_t complete_stacks(const Profile& profile) {
  uint64_t complete = 0;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    complete += profile.samples.ending[row] == Ending::kComplete ? 1U : 0U;
  }
  return complete;
}

void record_target(bool per_thread) {
  record::HeldSignals signals;
  NameSources sources{.files = default_file_search(), .kallsyms = {}, .cache = {}};
  sources.files.live = true;
  Pipeline pipeline(sources, {.stitches = true});
  record::SessionRequest session = request(per_thread);
  session.recorder.feedback = &pipeline;
  Watcher watcher(pipeline);
  Result<record::SessionEnd> end = record::run_session(session, pipeline, watcher, signals);
  if (!end) {
    GTEST_SKIP() << "nothing can be recorded here; see `wick doctor`";
  }
  ASSERT_EQ(end->exec_error, 0);
  ASSERT_TRUE(end->child);
  EXPECT_EQ(end->child->status, 0);
  EXPECT_TRUE(watcher.started());
  EXPECT_GT(watcher.seen(), 0U) << "samples arrive while the target runs";

  Profile profile = pipeline.finish();
  Result<> valid = validate(profile);
  EXPECT_TRUE(valid) << valid.error().message;
  EXPECT_EQ(profile.samples.size(), end->samples);
  EXPECT_GE(profile.samples.size(), 200U);
  EXPECT_GE(profile.samples.size(), watcher.seen());
  EXPECT_GE(profile.threads.size(), 1U + 12 + 2) << "the main thread, 12 others, two children";
  EXPECT_GE(profile.processes.size(), 3U);
  std::set<std::string, std::less<>> names = names_of(profile);
  for (const char* name :
       {"main", "live_in_thread", "live_in_library", "live_in_child", "live_after_exec"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
  EXPECT_GE(complete_stacks(profile), profile.samples.size() / 2);
}

TEST(LiveRecording, OfThreadsLibrariesAndChildren) {
  record_target(false);
}

TEST(LiveRecording, WithAnEventForEachThread) {
  record_target(true);
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "analyze/frames_by.h"

#include <gtest/gtest.h>

#include "analyze/lanes.h"
#include "analyze/tree/tree.h"
#include "profile/builder.h"
#include "profile/interpreted_testing.h"
#include "profile/shown_frames.h"
#include "profile/validate.h"

namespace wick {
namespace {

// Two addresses in work, called from one address in main. The frame at the root has no address.
Profile addresses() {
  ProfileBuilder builder;
  builder.event({.name = builder.string("samples"), .unit = builder.string("samples")});
  FunctionId main = builder.function({.name = builder.string("main"), .address = 0x100});
  FunctionId work = builder.function({.name = builder.string("work"), .address = 0x200});
  FunctionId start = builder.function({.name = builder.string("start")});
  StackId root = builder.stack(kEmptyStack, builder.frame({.function = start}));
  StackId caller = builder.stack(root, builder.frame({.function = main, .address = 0x110}));
  for (uint64_t offset : {1U, 1U, 0x1fU}) {
    FrameId leaf = builder.frame({.function = work, .address = 0x200 + offset});
    builder.add_sample({.stack = builder.stack(caller, leaf)});
  }
  return builder.finish();
}

std::vector<std::string> names(const Report& report) {
  const auto& tree = std::get<Tree>(report.sections[0].body);
  std::vector<std::string> names;
  for (size_t row = 0; row < tree.parent.size(); ++row) {
    names.push_back(fmt::format(
        "{} {}", tree.nodes.find("name")->text[row], tree.nodes.find("total")->numbers[row]));
  }
  return names;
}

TEST(FramesBy, AddressesAreOnTopOfTheirFunctions) {
  Profile split = with_addresses_on_top(addresses());
  ASSERT_TRUE(validate(split));
  EXPECT_EQ(names(call_tree(split, {.min_share = 0})),
            (std::vector<std::string>{
                "start 3", "main 3", "main+0x10 3", "work 3", "work+0x1 2", "work+0x1f 1"}));
}

TEST(FramesBy, AddressesInsteadOfFunctions) {
  FramesBy by = parse_frames_by("function+offset");
  EXPECT_FALSE(by.split_addresses);
  EXPECT_EQ(names(call_tree(addresses(), {.min_share = 0, .by = by.group})),
            (std::vector<std::string>{"start 3", "main+0x10 3", "work+0x1 2", "work+0x1f 1"}));
}

// Two processes of one name with two threads each, and one of another name.
Profile threads() {
  ProfileBuilder builder;
  builder.event({.name = builder.string("samples"), .unit = builder.string("samples")});
  FunctionId main = builder.function({.name = builder.string("main")});
  StackId stack = builder.stack(kEmptyStack, builder.frame({.function = main}));
  for (int64_t pid : {10, 20, 30}) {
    ProcessId process =
        builder.add_process({.pid = pid, .name = builder.string(pid == 30 ? "as" : "cc1plus")});
    for (int64_t tid : {pid, pid + 1}) {
      ThreadId thread = builder.add_thread(
          {.tid = tid, .process = process, .name = builder.string(tid == pid ? "main" : "pool")});
      builder.add_sample({.stack = stack, .thread = thread});
    }
  }
  builder.add_sample({.stack = stack});  // of no thread
  return builder.finish();
}

TEST(FramesBy, ProcessesAndThreadsAreLevelsAtTheRoot) {
  auto drawn = [](std::string_view by) {
    Result<Report> report =
        with_frames_by(threads(), parse_frames_by(by), [](const Profile& framed) -> Result<Report> {
          EXPECT_TRUE(validate(framed));
          return call_tree(framed, {.min_share = 0});
        });
    return names(*report);
  };
  EXPECT_EQ(drawn("process"),
            (std::vector<std::string>{"process cc1plus 4",
                                      "main 4",
                                      "process as 2",
                                      "main 2",
                                      "process [unknown] 1",
                                      "main 1"}));
  EXPECT_EQ(drawn("thread"),
            (std::vector<std::string>{"process cc1plus 4",
                                      "thread main 2",
                                      "main 2",
                                      "thread pool 2",
                                      "main 2",
                                      "process as 2",
                                      "thread main 1",
                                      "main 1",
                                      "thread pool 1",
                                      "main 1",
                                      "process [unknown] 1",
                                      "thread [unknown] 1",
                                      "main 1"}));
}

TEST(FramesBy, AdjacentFramesInOneLanguageAreOne) {
  Profile profile = testing::interpreted_profile(
      "_start;main;@;load!;parse!;sort;@;key!;read 3\n_start;main;@;load! 1\n 2\n");
  show_frames(profile, ShownFrames::kMixed);
  FramesBy by = parse_frames_by("language");
  Result<Report> report = with_frames_by(profile, by, [&](const Profile& framed) -> Result<Report> {
    EXPECT_TRUE(validate(framed));
    return call_tree(framed, {.min_share = 0, .by = by.group});
  });
  EXPECT_EQ(
      names(*report),
      (std::vector<std::string>{"C 4", "Python 4", "C 3", "Python 3", "C 3", "[empty stack] 2"}));
}

TEST(FramesBy, TooManyThreadsForTheirStacksAreRefused) {
  Result<Profile> split = with_threads_at_root(threads(), RootLevels::kProcess, 1);
  ASSERT_FALSE(split);
  EXPECT_NE(split.error().message.find("--thread"), std::string::npos);
}

TEST(CpuLanes, NeedTicksAndReportEmptyCpus) {
  EXPECT_FALSE(cpu_lanes(addresses()));
  ProfileBuilder builder;
  builder.event(
      {.name = builder.string("tick"), .unit = builder.string("samples"), .interval_ns = 1000});
  builder.add_fact("a missing tick is", "idle or lost");
  for (int64_t tick : {0, 1, 2, 5, 200, 201}) {
    builder.add_sample({.time_ns = 1000 * tick, .cpu = 2});
  }
  std::optional<Lanes> lanes = cpu_lanes(builder.finish());
  ASSERT_TRUE(lanes);
  EXPECT_EQ(lanes->cpus.rows(), 3U);
  EXPECT_EQ(lanes->cpus.find("samples")->numbers[0], 0);
  EXPECT_EQ(lanes->cpus.find("missing")->numbers[2], 2);  // 3 and 4
  EXPECT_EQ(lanes->cpus.find("missing_is")->text[2], "idle or lost");
  EXPECT_EQ(lanes->pauses.rows(), 1U);
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "profile/map_stacks.h"

#include <gtest/gtest.h>

#include "profile/dump.h"
#include "profile/validate.h"
#include "tests/support/timed_profile.h"

namespace wick {
namespace {

// A sample and a span, both in main;work, whose waker was in main;send.
Profile spans_and_samples() {
  testing::TimedProfile made;
  made.builder.add_sample(made.sample(5, {"main", "work"}));
  made.builder.add_span({.begin_ns = 10,
                         .end_ns = 20,
                         .thread = made.worker(),
                         .name = made.builder.string("wait"),
                         .stack = made.stack({"main", "work"}),
                         .waker_stack = made.stack({"main", "send"})});
  return made.builder.finish();
}

std::string leaf(const Profile& profile, StackId stack) {
  FrameId frame = profile.stacks.frame(stack);
  return std::string(profile.strings[profile.functions[profile.frames[frame].function].name]);
}

TEST(MapStacks, SamplesAndBothStacksOfSpansFollow) {
  Profile profile = spans_and_samples();
  // Removes the outermost frame, so that every stack gets another number.
  map_stacks(profile, [&](StackInterner& stacks, StackId parent, StackId old) {
    bool is_root = profile.stacks.parent(old) == kEmptyStack;
    return is_root ? parent : stacks.intern(parent, profile.stacks.frame(old));
  });
  ASSERT_TRUE(validate(profile));
  EXPECT_EQ(profile.stacks.size(), 3U);
  EXPECT_EQ(leaf(profile, profile.samples.stack[0]), "work");
  EXPECT_EQ(leaf(profile, profile.spans[0].stack), "work");
  EXPECT_EQ(leaf(profile, profile.spans[0].waker_stack), "send");
}

TEST(MapStacks, ReferencesKnowTheirTimes) {
  Profile profile = spans_and_samples();
  std::vector<int64_t> times;
  change_stack_references(profile, [&](StackId stack, int64_t time_ns) {
    times.push_back(time_ns);
    return stack;
  });
  EXPECT_EQ(times, (std::vector<int64_t>{5, 10, 20}));
}

TEST(StackVersions, CopyWhatAVersionSharesOnce) {
  Profile profile = spans_and_samples();
  StackVersions versions(profile.stacks);
  auto empty_stays = [](StackId stack) { return stack == kEmptyStack ? stack : StackId(); };
  auto copy = [&](StackId stack, uint64_t version) {
    return versions.copy(stack, version, empty_stays, [&](FrameId frame) {
      return FrameId(frame.value + static_cast<uint32_t>(100 * version));
    });
  };
  StackId work = profile.spans[0].stack;
  StackId send = profile.spans[0].waker_stack;
  EXPECT_EQ(copy(work, 0), copy(work, 0));
  EXPECT_NE(copy(work, 0), copy(work, 1));
  const StackTree& copied = versions.stacks().tree();
  EXPECT_EQ(copied.parent(copy(work, 1)), copied.parent(copy(send, 1)));
  EXPECT_EQ(versions.size(), 5U) << "main and work twice, send once";
  EXPECT_EQ(copy(kEmptyStack, 1), kEmptyStack);
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "profile/late_samples.h"

#include <set>

#include <gtest/gtest.h>

#include "profile/builder.h"

namespace wick {
namespace {

struct Leaf {
  std::string_view function;
  int64_t weight;
  Mode mode = Mode::kKernel;
};

// Stacks of main and one leaf each.
Profile profile_of(std::string_view event, std::initializer_list<Leaf> leaves) {
  ProfileBuilder builder;
  EventId id =
      builder.event({.name = builder.string(event), .unit = builder.string("nanoseconds")});
  auto frame = [&](std::string_view name, Mode mode) {
    return builder.frame(
        {.function = builder.function({.name = builder.string(name)}), .mode = mode});
  };
  StackId main = builder.stack(kEmptyStack, frame("main", Mode::kUser));
  for (const Leaf& leaf : leaves) {
    builder.add_sample({.weight = leaf.weight,
                        .count = 1,
                        .stack = builder.stack(main, frame(leaf.function, leaf.mode)),
                        .event = id});
  }
  return builder.finish();
}

double late_share(const Profile& profile) {
  return LateSamples(profile, StackCosts(profile)).share();
}

TEST(LateSamples, KnowsFunctionsThatTurnInterruptsOn) {
  EXPECT_NE(late_function("finish_task_switch"), nullptr);
  EXPECT_NE(late_function("finish_task_switch.isra.0"), nullptr);
  EXPECT_NE(late_function("_raw_spin_unlock_irqrestore"), nullptr);
  EXPECT_EQ(late_function("_raw_spin_unlock"), nullptr);  // leaves interrupts as they are
  EXPECT_EQ(late_function("finish_task_switch_more"), nullptr);
  EXPECT_EQ(late_function(""), nullptr);
  // AArch64
  EXPECT_NE(late_function("el0_svc"), nullptr);
  EXPECT_NE(late_function("local_daif_restore"), nullptr);
  EXPECT_EQ(late_function("el1h_64_irq"), nullptr);  // the return from it turns them on
  std::set<std::string_view> names;
  for (const LateFunction& function : kLateFunctions) {
    EXPECT_TRUE(names.insert(function.name).second) << function.name;
    EXPECT_FALSE(function.ran.empty()) << function.name;
  }
}

TEST(LateSamples, OnlyTimersAreLate) {
  for (std::string_view event : {"cpu-clock", "task-clock", "cpu-clock:u", "cpu-clock/freq=99/"}) {
    EXPECT_TRUE(is_timer_event(event)) << event;
  }
  for (std::string_view event : {"cycles", "cycles:pp", "cpu-clocks", "clock", "samples", ""}) {
    EXPECT_FALSE(is_timer_event(event)) << event;
  }
  auto leaves = {Leaf{"finish_task_switch.isra.0", 30}, Leaf{"vfs_read", 70}};
  EXPECT_DOUBLE_EQ(late_share(profile_of("cpu-clock", leaves)), 0.3);
  EXPECT_DOUBLE_EQ(late_share(profile_of("cycles", leaves)), 0);
}

TEST(LateSamples, OnlyTheRecordedKernelIsLate) {
  EXPECT_DOUBLE_EQ(late_share(profile_of("cpu-clock",
                                         {{"finish_task_switch", 1, Mode::kUser},
                                          {"__schedule", 1, Mode::kGuestKernel},
                                          {"do_syscall_64", 1},
                                          {"work", 1, Mode::kUser}})),
                   0.25);
}

TEST(LateSamples, NoteSaysShareAndEvent) {
  Profile profile = profile_of("cpu-clock:k", {{"_raw_spin_unlock_irq", 48}, {"vfs_read", 52}});
  LateSamples late(profile, StackCosts(profile));
  EXPECT_TRUE(late.matter());
  EXPECT_TRUE(late.note().starts_with("late: 48 % of the time is in kernel functions that turn"))
      << late.note();
  EXPECT_TRUE(late.note().contains("cpu-clock cannot interrupt")) << late.note();
}

TEST(LateSamples, LittleLateTimeIsNotMarked) {
  Profile profile = profile_of("cpu-clock", {{"__schedule", 5}, {"vfs_read", 995}});
  LateSamples late(profile, StackCosts(profile));
  EXPECT_FALSE(late.matter());
  for (size_t row = 0; row < profile.frames.size(); ++row) {
    EXPECT_FALSE(late.has(FrameId::from_index(row)));
  }
}

TEST(LateSamples, NoSamplesNoShare) {
  EXPECT_FALSE(LateSamples(Profile(), StackCosts(Profile())).matter());
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// The profile itself: trees, columns, builder.
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "formats/folded/folded.h"
#include "profile/builder.h"
#include "profile/stack_costs.h"
#include "profile/validate.h"

namespace wick {
namespace {

TEST(ProfileBuilder, ARenamedRowIsFoundUnderItsNewName) {
  ProfileBuilder builder;
  constexpr int kThreads = 1000;  // enough for the index to grow between and after the changes
  StringId old_name = builder.string("old");
  StringId new_name = builder.string("new");
  for (int tid = 0; tid < kThreads; ++tid) {
    ThreadId id = builder.thread({.tid = tid, .name = old_name});
    builder.update(id, [&](Thread& thread) { thread.name = new_name; });
    EXPECT_EQ(builder.thread({.tid = tid, .name = new_name}), id);
  }
  for (int tid = 0; tid < kThreads; ++tid) {
    EXPECT_EQ(builder.thread({.tid = tid, .name = new_name}), ThreadId(static_cast<uint32_t>(tid)));
  }
  EXPECT_EQ(builder.thread({.tid = 0, .name = old_name}), ThreadId(kThreads));
}

// With one index slot for each change this would take minutes.
TEST(ProfileBuilder, ARowMayChangeItsNameAMillionTimes) {
  ProfileBuilder builder;
  ThreadId id = builder.thread({.tid = 1});
  StringId names[] = {builder.string("idle"), builder.string("busy")};
  for (size_t i = 0; i < 1'000'000; ++i) {
    builder.update(id, [&](Thread& thread) { thread.name = names[i % 2]; });
  }
  EXPECT_EQ(builder.thread({.tid = 1, .name = names[1]}), id);
}

TEST(Column, IsConstantUntilAValueDiffers) {
  Column<int64_t> column;
  for (int i = 0; i < 10; ++i) {
    column.push_back(7);
  }
  EXPECT_TRUE(column.is_constant());
  EXPECT_EQ(column.memory_bytes(), 0U);
  column.push_back(8);
  EXPECT_FALSE(column.is_constant());
  EXPECT_EQ(column[9], 7);
  EXPECT_EQ(column[10], 8);
}

TEST(SampleColumns, TakeAbout24BytesASample) {
  ProfileBuilder builder;
  EventId event = builder.event({});
  std::vector<ThreadId> threads;
  for (int i = 0; i < 8; ++i) {
    threads.push_back(builder.thread({.tid = i}));
  }
  constexpr size_t kSamples = 100000;
  for (size_t i = 0; i < kSamples; ++i) {
    FrameId frame = builder.frame({.address = i % 100});
    builder.add_sample({.time_ns = static_cast<int64_t>(i) * 1000,
                        .weight = 1003009,
                        .stack = builder.stack(kEmptyStack, frame),
                        .thread = threads[i % 8],
                        .event = event,
                        .cpu = static_cast<uint16_t>(i % 2)});
  }
  Profile profile = builder.finish();
  EXPECT_LE(profile.samples.memory_bytes(), kSamples * 28);
}

// The walk must visit each node once, a parent before and after its children, for any order in
// which the tree grew.
TEST(PrefixTree, WalkVisitsEveryNodeInDepthFirstOrder) {
  std::mt19937 random(1);
  StackTree tree;
  for (uint32_t i = 1; i < 2000; ++i) {
    bool extend = random() % 2 == 0;
    StackId parent = extend ? StackId(i - 1) : StackId(static_cast<uint32_t>(random() % i));
    tree.append(parent, FrameId(i));
  }
  StackChildren children(tree);
  std::vector<StackId> path;
  std::vector<int> visits(tree.size());
  children.walk(
      [&](StackId node) {
        visits[node.index()] += 1;
        if (node != kEmptyStack) {
          ASSERT_EQ(path.back(), tree.parent(node));
        }
        path.push_back(node);
      },
      [&](StackId node) {
        ASSERT_EQ(path.back(), node);
        path.pop_back();
      });
  EXPECT_TRUE(path.empty());
  EXPECT_EQ(std::ranges::count(visits, 1), static_cast<int64_t>(tree.size()));
  // Siblings come in the order of their ids.
  for (uint32_t i = 0; i < tree.size(); ++i) {
    for (StackId child = children.first(StackId(i)); child.valid();) {
      StackId next = children.next(child);
      EXPECT_EQ(tree.parent(child), StackId(i));
      EXPECT_TRUE(!next.valid() || child < next);
      child = next;
    }
  }
}

// The tree must store every path once, for any order in which paths arrive.
TEST(StackInterner, GivesEqualPathsOneNode) {
  std::mt19937 random(2);
  StackInterner stacks;
  std::map<std::vector<uint32_t>, StackId> known;
  for (int i = 0; i < 5000; ++i) {
    std::vector<uint32_t> path;
    StackId node = kEmptyStack;
    for (size_t depth = random() % 6; depth > 0; --depth) {
      path.push_back(static_cast<uint32_t>(random() % 5));
      node = stacks.intern(node, FrameId(path.back()));
      auto [entry, is_new] = known.try_emplace(path, node);
      ASSERT_EQ(entry->second, node);
    }
  }
  EXPECT_EQ(stacks.tree().size(), known.size() + 1);
}

TEST(ProfileBuilder, InternsEqualRecordsOnce) {
  ProfileBuilder builder;
  FunctionId function = builder.function({.name = builder.string("f"), .line = 3});
  EXPECT_EQ(builder.function({.name = builder.string("f"), .line = 3}), function);
  EXPECT_NE(builder.function({.name = builder.string("f"), .line = 4}), function);
  FrameId frame = builder.frame({.function = function});
  EXPECT_EQ(builder.stack(kEmptyStack, frame), builder.stack(kEmptyStack, frame));
}

TEST(ProfileBuilder, LossesOfOneReasonAddUpAndKeepTheFirstDetail) {
  ProfileBuilder builder;
  builder.add_loss({.reason = "bad", .what = "lines", .detail = "line 1"});
  builder.add_loss({.reason = "bad", .what = "lines", .detail = "line 9", .count = 2});
  Profile profile = builder.finish();
  ASSERT_EQ(profile.losses.size(), 1U);
  EXPECT_EQ(profile.losses[0].count, 3U);
  EXPECT_EQ(profile.strings[profile.losses[0].detail], "line 1");
}

TEST(ProfileBuilder, LendsWhatIsThereAndGoesOn) {
  ProfileBuilder builder;
  auto add = [&](std::string_view name) {
    FunctionId function = builder.function({.name = builder.string(name)});
    StackId stack = builder.stack(kEmptyStack, builder.frame({.function = function}));
    EventId event = builder.event({builder.string("samples"), builder.string("samples")});
    builder.add_sample({.stack = stack, .event = event});
    return stack;
  };
  StackId first = add("a");
  builder.with_profile_so_far([](const Profile& profile) {
    EXPECT_EQ(profile.samples.size(), 1U);
    EXPECT_EQ(profile.functions.size(), 1U);
    EXPECT_TRUE(validate(profile));
  });
  EXPECT_EQ(add("a"), first) << "what was known is still known";
  EXPECT_NE(add("b"), first);
  Profile profile = builder.finish();
  EXPECT_EQ(profile.samples.size(), 3U);
  EXPECT_EQ(profile.functions.size(), 2U);
  EXPECT_TRUE(validate(profile));
}

TEST(StackCosts, AddUpAndKnowTheirEffectiveSamples) {
  Profile profile = folded::from_text("a;b 3\na 1\na;b 4\n");
  StackCosts costs(profile);
  EXPECT_EQ(costs.total().weight, 8);
  EXPECT_EQ(costs.stacks().size(), 2U);
  EXPECT_DOUBLE_EQ(costs.effective_samples(), 8);
}

TEST(StackCosts, UnevenWeightsAreWorthFewerSamples) {
  ProfileBuilder builder;
  builder.event({});
  builder.add_sample({.weight = 100});
  builder.add_sample({.weight = 1});
  StackCosts costs(builder.finish());
  EXPECT_NEAR(costs.effective_samples(), 101.0 * 101.0 / (10000 + 1), 1e-9);
}

}  // namespace
}  // namespace wick

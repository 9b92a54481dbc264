// SPDX-License-Identifier: Apache-2.0
#include "pipeline/known_chains.h"

#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace wick {
namespace {

using Words = std::vector<uint64_t>;

SampleEvent sample(const Words& kernel, const Words& user, uint64_t address = 1) {
  return {.address = address, .mode = Mode::kUser, .kernel_chain = kernel, .user_chain = user};
}

KnownChains::Key key_of(const SampleEvent& sample, uint32_t kernel_epoch, uint32_t space_epoch) {
  KnownChains::Key key;
  key.set(sample, kernel_epoch, space_epoch);
  return key;
}

AssembledStack stack(uint32_t number) {
  return {StackId(number), StackEnd::kComplete};
}

TEST(KnownChains, TheSameChainHasTheSameStack) {
  KnownChains chains;
  for (size_t length = 0; length < 20; ++length) {
    Words user(length);
    std::iota(user.begin(), user.end(), 1);
    const Words copy = user;
    EXPECT_EQ(chains.find(key_of(sample({}, user), 1, 2)), KnownChains::kNone);
    chains.add(key_of(sample({}, user), 1, 2), stack(static_cast<uint32_t>(length)));
    uint32_t number = chains.find(key_of(sample({}, copy), 1, 2));
    ASSERT_NE(number, KnownChains::kNone) << length;
    EXPECT_EQ(chains.stack(number).stack, StackId(static_cast<uint32_t>(length)));
    EXPECT_EQ(chains.stack(number).ending, StackEnd::kComplete);
  }
}

TEST(KnownChains, EveryWordCounts) {
  for (size_t length = 1; length < 20; ++length) {
    KnownChains chains;
    Words user(length, 7);
    chains.add(key_of(sample({}, user), 1, 2), stack(1));
    for (uint64_t& word : user) {
      word = 8;
      EXPECT_EQ(chains.find(key_of(sample({}, user), 1, 2)), KnownChains::kNone) << length;
      EXPECT_EQ(chains.find(key_of(sample(user, {}), 1, 2)), KnownChains::kNone) << length;
      word = 7;
    }
  }
}

TEST(KnownChains, EverythingThatAStackDependsOnCounts) {
  KnownChains chains;
  const Words none;
  const Words one = {1};
  const Words two = {2};
  const Words both = {1, 2};
  SampleEvent in_kernel = sample(none, both);
  in_kernel.mode = Mode::kKernel;
  const std::vector<KnownChains::Key> keys = {
      key_of(sample(none, both), 1, 2),
      key_of(sample(one, two), 1, 2),  // the same words
      key_of(sample(both, none), 1, 2),
      key_of(sample(none, both), 1, 3),
      key_of(sample(none, both), 2, 2),
      key_of(sample(none, both, 7), 1, 2),
      key_of(in_kernel, 1, 2),
      key_of(sample(none, none), 1, 2),
  };
  for (uint32_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(chains.find(keys[i]), KnownChains::kNone) << i;
    chains.add(keys[i], stack(i));
  }
  for (uint32_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(chains.stack(chains.find(keys[i])).stack, StackId(i));
  }
}

TEST(KnownChains, ASampleIsMadeFromItsKey) {
  const Words kernel = {8, 9};
  const Words user = {1, 2};
  SampleEvent made = KnownChains::sample_of(key_of(sample(kernel, user, 8), 1, 2));
  EXPECT_EQ(made.address, 8U);
  EXPECT_EQ(made.mode, Mode::kUser);
  EXPECT_EQ(Words(made.kernel_chain.begin(), made.kernel_chain.end()), kernel);
  EXPECT_EQ(Words(made.user_chain.begin(), made.user_chain.end()), user);
}

TEST(KnownChains, CopiesOfTheStackDecideMoreThanChains) {
  SampleEvent copied = sample({}, {});
  copied.stack_bytes_asked = 8192;
  EXPECT_FALSE(KnownChains::decide(copied));
  EXPECT_TRUE(KnownChains::decide(sample({}, {})));
}

TEST(KnownChains, MemoryIsBounded) {
  KnownChains chains;
  uint32_t dropped = 0;
  for (uint32_t i = 0; i < 40'000; ++i) {
    uint32_t which = i % 30'000;
    Words user(50, which);
    KnownChains::Key key = key_of(sample({}, user), 1, 2);
    uint32_t known = chains.find(key);
    if (known != KnownChains::kNone) {
      ASSERT_EQ(chains.stack(known).stack, StackId(which));
    } else {
      dropped += i >= 30'000 ? 1 : 0;
      chains.add(key, stack(which));
    }
  }
  EXPECT_GT(dropped, 0U);
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "pipeline/known_chains.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace wick {
namespace {

using Words = std::vector<uint64_t>;

SampleEvent sample(const Words& kernel, const Words& user, uint64_t address = 1) {
  return {.address = address, .mode = Mode::kUser, .kernel_chain = kernel, .user_chain = user};
}

TEST(KnownChains, TheSameChainHasTheSameNumber) {
  KnownChains chains;
  const Words user = {1, 2, 3};
  KnownChains::Answer first = chains.find(KnownChains::key_of(sample({}, user), 1, 2));
  const Words copy = user;
  KnownChains::Answer second = chains.find(KnownChains::key_of(sample({}, copy), 1, 2));
  EXPECT_TRUE(first.is_new);
  EXPECT_FALSE(second.is_new);
  EXPECT_EQ(first.number, second.number);
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
      KnownChains::key_of(sample(none, both), 1, 2),
      KnownChains::key_of(sample(one, two), 1, 2),  // the same words
      KnownChains::key_of(sample(both, none), 1, 2),
      KnownChains::key_of(sample(none, both), 1, 3),
      KnownChains::key_of(sample(none, both), 2, 2),
      KnownChains::key_of(sample(none, both, 7), 1, 2),
      KnownChains::key_of(in_kernel, 1, 2),
      KnownChains::key_of(sample(none, none), 1, 2),
  };
  for (size_t i = 0; i < keys.size(); ++i) {
    KnownChains::Answer answer = chains.find(keys[i]);
    EXPECT_TRUE(answer.is_new) << i;
    EXPECT_EQ(answer.number, i);
  }
}

TEST(KnownChains, ASampleIsMadeFromItsKey) {
  const Words kernel = {8, 9};
  const Words user = {1, 2};
  SampleEvent made = KnownChains::sample_of(KnownChains::key_of(sample(kernel, user, 8), 1, 2));
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

// Numbers begin at 0 again, and each is new before it is known.
TEST(KnownChains, MemoryIsBounded) {
  KnownChains chains;
  std::vector<uint64_t> stack_of_number;
  bool restarted = false;
  for (uint64_t i = 0; i < 40'000; ++i) {
    uint64_t which = i % 30'000;
    Words user(50, which);
    KnownChains::Answer answer = chains.find(KnownChains::key_of(sample({}, user), 1, 2));
    if (answer.is_new) {
      restarted |= answer.number < stack_of_number.size();
      stack_of_number.resize(std::max<size_t>(stack_of_number.size(), size_t{answer.number} + 1));
      stack_of_number[answer.number] = which;
    }
    ASSERT_EQ(stack_of_number[answer.number], which);
  }
  EXPECT_TRUE(restarted);
  EXPECT_LT(stack_of_number.size(), 30'000U);
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "kernel_records/chains.h"

#include <vector>

#include <gtest/gtest.h>

#include "kernel_records/layout.h"

namespace wick::kernel_records {
namespace {

using Words = std::vector<uint64_t>;

struct Split {
  Words kernel;
  Words user;
  bool deferred;
  uint64_t cookie;
  friend bool operator==(const Split&, const Split&) = default;
};

Split split(const Words& entries, Mode mode = Mode::kUser) {
  Arena arena;
  Chains chains = split_chain(entries, mode, arena);
  return {{chains.kernel.begin(), chains.kernel.end()},
          {chains.user.begin(), chains.user.end()},
          chains.deferred,
          chains.cookie};
}

TEST(Chains, MarkersSayWhereTheFollowingWas) {
  EXPECT_EQ(split({kChainKernel, 1, 2, kChainUser, 3, 4}, Mode::kKernel),
            (Split{{1, 2}, {3, 4}, false, 0}));
  EXPECT_EQ(split({kChainUser, 3, 4}), (Split{{}, {3, 4}, false, 0}));
  EXPECT_EQ(split({kChainGuestKernel, 1, kChainGuestUser, 2}), (Split{{1}, {2}, false, 0}));
  EXPECT_EQ(split({kChainHypervisor, 1, kChainKernel, 2}), (Split{{1, 2}, {}, false, 0}));
}

TEST(Chains, WithoutAMarkerTheModeDecides) {
  EXPECT_EQ(split({1, 2}, Mode::kKernel), (Split{{1, 2}, {}, false, 0}));
  EXPECT_EQ(split({1, 2}, Mode::kUser), (Split{{}, {1, 2}, false, 0}));
  EXPECT_EQ(split({1, 2}, Mode::kGuestUser), (Split{{}, {1, 2}, false, 0}));
  EXPECT_EQ(split({}), (Split{{}, {}, false, 0}));
}

TEST(Chains, HalvesAreBorrowed) {
  Arena arena;
  Words entries = {kChainKernel, 1, kChainUser, 2};
  Chains chains = split_chain(entries, Mode::kKernel, arena);
  EXPECT_EQ(chains.kernel.data(), entries.data() + 1);
  EXPECT_EQ(chains.user.data(), entries.data() + 3);
  EXPECT_EQ(arena.bytes(), 0U);
}

TEST(Chains, PiecesOfOneHalfAreJoined) {
  EXPECT_EQ(split({kChainHypervisor, 1, kChainKernel, 2, 3, kChainUser, 4}),
            (Split{{1, 2, 3}, {4}, false, 0}));
}

// A record can hold thousands of pieces: copying the whole half for each would fill the memory.
TEST(Chains, ManyPiecesAreCopiedOnce) {
  constexpr size_t kPieces = 4000;
  Words entries = {kChainUser};
  Words expected;
  for (uint64_t i = 1; i <= kPieces; ++i) {
    entries.insert(entries.end(), {i, kFirstChainMarker});
    expected.push_back(i);
  }
  Arena arena;
  Chains chains = split_chain(entries, Mode::kUser, arena);
  EXPECT_EQ(Words(chains.user.begin(), chains.user.end()), expected);
  EXPECT_LE(arena.bytes(), 2 * entries.size() * sizeof(uint64_t));
}

TEST(Chains, GarbageInTheUsersHalfIsNoMarker) {
  EXPECT_EQ(split({kChainUser, 1, kChainKernel, 2, kChainUserDeferred, 3, kFirstChainMarker}),
            (Split{{}, {1, 2, 3}, false, 0}));
}

TEST(Chains, ADeferredHalfLeavesItsCookie) {
  EXPECT_EQ(split({kChainKernel, 1, kChainUserDeferred, 77}), (Split{{1}, {}, true, 77}));
  EXPECT_EQ(split({kChainKernel, 1, kChainUserDeferred}), (Split{{1}, {}, false, 0}));
}

TEST(Chains, UnknownMarkersAreLeftOut) {
  EXPECT_EQ(split({kChainKernel, 1, kFirstChainMarker, 2}), (Split{{1, 2}, {}, false, 0}));
}

}  // namespace
}  // namespace wick::kernel_records

#include "formats/perf_data/chains.h"

#include <vector>

#include <gtest/gtest.h>

#include "formats/perf_data/layout.h"

namespace wick::perf_data {
namespace {

using Words = std::vector<uint64_t>;

struct Split {
  Words kernel;
  Words user;
  bool deferred;
  uint64_t cookie;
  friend bool operator==(const Split&, const Split&) = default;
};

Split split(const Words& entries, CpuMode mode = CpuMode::kUser) {
  Arena arena;
  Chains chains = split_chain(entries, mode, arena);
  return {{chains.kernel.begin(), chains.kernel.end()},
          {chains.user.begin(), chains.user.end()},
          chains.deferred,
          chains.cookie};
}

TEST(Chains, MarkersSayWhereTheFollowingWas) {
  EXPECT_EQ(split({kChainKernel, 1, 2, kChainUser, 3, 4}, CpuMode::kKernel),
            (Split{{1, 2}, {3, 4}, false, 0}));
  EXPECT_EQ(split({kChainUser, 3, 4}), (Split{{}, {3, 4}, false, 0}));
  EXPECT_EQ(split({kChainGuestKernel, 1, kChainGuestUser, 2}), (Split{{1}, {2}, false, 0}));
  EXPECT_EQ(split({kChainHypervisor, 1, kChainKernel, 2}), (Split{{1, 2}, {}, false, 0}));
}

TEST(Chains, WithoutAMarkerTheModeDecides) {
  EXPECT_EQ(split({1, 2}, CpuMode::kKernel), (Split{{1, 2}, {}, false, 0}));
  EXPECT_EQ(split({1, 2}, CpuMode::kUser), (Split{{}, {1, 2}, false, 0}));
  EXPECT_EQ(split({1, 2}, CpuMode::kGuestUser), (Split{{}, {1, 2}, false, 0}));
  EXPECT_EQ(split({}), (Split{{}, {}, false, 0}));
}

TEST(Chains, HalvesAreBorrowed) {
  Arena arena;
  Words entries = {kChainKernel, 1, kChainUser, 2};
  Chains chains = split_chain(entries, CpuMode::kKernel, arena);
  EXPECT_EQ(chains.kernel.data(), entries.data() + 1);
  EXPECT_EQ(chains.user.data(), entries.data() + 3);
  EXPECT_EQ(arena.bytes(), 0U);
}

TEST(Chains, PiecesOfOneHalfAreJoined) {
  EXPECT_EQ(split({kChainHypervisor, 1, kChainKernel, 2, 3, kChainUser, 4}),
            (Split{{1, 2, 3}, {4}, false, 0}));
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
}  // namespace wick::perf_data

// SPDX-License-Identifier: Apache-2.0
#include "analyze/diff/pool_names.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(PoolNames, NumbersThatDifferBetweenSidesAreOneRow) {
  PoolNames pools({{"worker-1", "worker-2", "main"}, {"worker-3", "worker-14", "main"}});
  EXPECT_TRUE(pools.has_pools());
  EXPECT_EQ(pools.of("worker-1"), "worker-#");
  EXPECT_EQ(pools.of("worker-14"), "worker-#");
  EXPECT_EQ(pools.of("main"), "main");
}

TEST(PoolNames, OnlyNumbersThatVaryAreReplaced) {
  PoolNames pools({{"python3.11"}, {"python3.12"}});
  EXPECT_EQ(pools.of("python3.11"), "python3.#");
  PoolNames java({{"pool-1-thread-3"}, {"pool-2-thread-3"}});
  EXPECT_EQ(java.of("pool-1-thread-3"), "pool-#-thread-3");
  EXPECT_EQ(java.of("pool-2-thread-3"), "pool-#-thread-3");
}

TEST(PoolNames, EqualNamesOnAllSidesStay) {
  PoolNames pools({{"worker-1", "worker-2", "cc1plus"}, {"worker-1", "worker-2", "cc1plus"}});
  EXPECT_FALSE(pools.has_pools());
  EXPECT_EQ(pools.of("worker-1"), "worker-1");
  EXPECT_EQ(pools.of("cc1plus"), "cc1plus");
}

TEST(PoolNames, ANameThatOneSideLacksStaysIfItIsAlone) {
  PoolNames pools({{"gc7"}, {}});
  EXPECT_EQ(pools.of("gc7"), "gc7");
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "base/worker_pool.h"

#include <algorithm>
#include <atomic>
#include <numeric>

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(WorkerPool, EveryIndexOnceWhateverTheNumberOfWorkers) {
  for (size_t workers : {1UL, 2UL, 5UL}) {
    WorkerPool pool(workers);
    for (size_t count : {0UL, 1UL, 7UL, 1000UL}) {
      std::vector<int> done(count);
      std::vector<int> by_worker(pool.workers());
      pool.run(count, 3, [&](size_t index, size_t worker) {
        ++done[index];
        ++by_worker[worker];
      });
      EXPECT_EQ(done, std::vector<int>(count, 1));
      EXPECT_EQ(std::accumulate(by_worker.begin(), by_worker.end(), 0), static_cast<int>(count));
    }
  }
}

TEST(WorkerPool, StartedWorkGoesOnUntilFinish) {
  for (size_t workers : {1U, 2U, 5U}) {
    WorkerPool pool(workers);
    pool.finish();  // without a start
    for (size_t round = 0; round < 200; ++round) {
      std::vector<std::atomic<int>> done(round);
      pool.start(done.size(), 3, [&](size_t index, size_t) { ++done[index]; });
      pool.finish();
      EXPECT_TRUE(
          std::ranges::all_of(done, [](const std::atomic<int>& times) { return times == 1; }));
    }
  }
}

}  // namespace
}  // namespace wick

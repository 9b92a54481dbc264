// SPDX-License-Identifier: Apache-2.0
// WorkerPool: calls one function for a range of numbers on all cores.
//
// The caller works too, so a pool of one has no threads. The pool starts its threads when the first
// sufficiently large range arrives; afterwards they wait for the next one. Workers take pieces in
// order but finish in any order: each index must write to separate memory, and nothing may depend
// on which worker did which part.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace wick {

class WorkerPool {
 public:
  // 0 workers: one for each core that this process may use.
  explicit WorkerPool(size_t workers = 0);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  size_t workers() const { return workers_; }

  // Calls work(index, worker) for each index below `count` and returns when all are done; worker is
  // a number below workers(). A worker takes `piece` indexes at a time.
  using Work = std::function<void(size_t index, size_t worker)>;
  void run(size_t count, size_t piece, Work work) {
    start(count, piece, std::move(work));
    finish();
  }
  // The same in two steps, so that the caller can do something else in between: start() lets the
  // threads begin, and finish() helps with the remaining pieces. One range at a time.
  void start(size_t count, size_t piece, Work work);
  void finish();

 private:
  // One range. A thread that wakes up late may still read a range that others have finished.
  struct Range {
    Work work;
    size_t count = 0;
    size_t piece = 1;
    std::atomic<size_t> next = 0;
    std::atomic<size_t> done = 0;
  };

  void start_threads();
  void serve(size_t worker);
  void take_pieces(Range& range, size_t worker);

  size_t workers_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable started_;
  std::condition_variable finished_;
  std::shared_ptr<Range> range_;
  bool closing_ = false;
};

}  // namespace wick

// WorkerPool: runs one function over a range of numbers on all cores.
//
// The caller works too, so a pool of one has no threads at all; threads are started when the first
// range that is worth it comes, and wait for the next. Pieces are handed out in order, but finish
// in any order: results must go to places of their own, and nothing may depend on which worker did
// what.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
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
  void run(size_t count, size_t piece, const Work& work);

 private:
  void start_threads();
  void serve(size_t worker);
  void take_pieces(size_t worker);

  size_t workers_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t round_ = 0;  // counts run() calls, so that a thread knows a new one
  size_t busy_ = 0;     // threads that have not finished this round
  bool closing_ = false;

  const Work* work_ = nullptr;
  size_t count_ = 0;
  size_t piece_ = 1;
  std::atomic<size_t> next_ = 0;
};

}  // namespace wick

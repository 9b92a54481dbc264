// SPDX-License-Identifier: Apache-2.0
// BatchWorker: a second stage that runs on its own thread. The owner fills batches and hands them
// over; the worker calls `work` on each, in order. At most kInFlight batches wait, so that a fast
// first stage cannot fill the memory. The owner gets used batches back and fills them again.
//
// The two stages must not touch the same data. The owner may read data that `work` writes only
// after wait() or finish(), and only until it hands over the next batch.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/helper_thread.h"

namespace wick {

template <typename Batch>
class BatchWorker {
 public:
  explicit BatchWorker(std::function<void(Batch&)> work) : work_(std::move(work)) {}
  ~BatchWorker() { finish(); }
  BatchWorker(const BatchWorker&) = delete;
  BatchWorker& operator=(const BatchWorker&) = delete;

  // Hands over a full batch. Returns a batch to fill: a used one, not cleared, or a new one.
  Batch exchange(Batch full) {
    CHECK(!closed_);
    start_thread();
    if (!thread_.joinable()) {
      work_(full);
      return full;
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_.size() < kInFlight; });
    waiting_.push_back(std::move(full));
    Batch next;
    if (!used_.empty()) {
      next = std::move(used_.back());
      used_.pop_back();
    }
    changed_.notify_all();
    return next;
  }

  // Whether the worker has processed every batch that was handed over.
  bool is_idle() {
    std::lock_guard lock(mutex_);
    return waiting_.empty() && !busy_;
  }

  // Returns when the worker has processed every batch that was handed over.
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_.empty() && !busy_; });
  }

  // Does the same, and then ends the thread.
  void finish() {
    {
      std::lock_guard lock(mutex_);
      closed_ = true;
      changed_.notify_all();
    }
    if (thread_.joinable()) {
      thread_.join();
    }
  }

 private:
  static constexpr size_t kInFlight = 4;

  // Starts the thread at the first batch and not earlier, so that it inherits the priority that its
  // owner has by then. If no thread can be started (a limit on tasks), exchange() does the work
  // itself.
  void start_thread() {
    if (std::exchange(started_, true)) {
      return;
    }
    try {
      thread_ = start_helper_thread([this] { run(); });
    } catch (const std::system_error&) {
      thread_ = {};
    }
  }

  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
      if (waiting_.empty()) {
        return;
      }
      Batch batch = std::move(waiting_.front());
      waiting_.pop_front();
      changed_.notify_all();
      busy_ = true;
      lock.unlock();
      work_(batch);
      lock.lock();
      busy_ = false;
      used_.push_back(std::move(batch));
      changed_.notify_all();
    }
  }

  std::function<void(Batch&)> work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> waiting_;
  std::vector<Batch> used_;
  bool started_ = false;
  bool busy_ = false;
  bool closed_ = false;
  std::thread thread_;
};

}  // namespace wick

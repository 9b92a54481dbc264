// BatchWorker: a second stage on a thread of its own. The owner fills batches and hands them over;
// the worker runs `work` on each, in order. At most kInFlight batches wait, so a fast first stage
// cannot fill the memory; used batches come back to be filled again.
//
// The two stages must touch different data: what `work` writes may be read by the owner only after
// wait() or finish(), until the next batch is handed over.
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

  // Hands a batch over and gives back one to fill: a used one, not cleared, or a new one.
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

  // Returns when everything handed over so far has been worked on.
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_.empty() && !busy_; });
  }

  // The same, and ends the thread.
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

  // Not before there is work: the thread has the priority that its owner has by then. Where no
  // thread can be had (a limit on tasks), batches are worked on as they are handed over.
  void start_thread() {
    if (std::exchange(started_, true)) {
      return;
    }
    try {
      thread_ = start_helper_thread([this] { run(); });
    } catch (const std::system_error&) {
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

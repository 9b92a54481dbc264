// SPDX-License-Identifier: Apache-2.0
#include "base/worker_pool.h"

#include <algorithm>
#include <system_error>

#include <sched.h>

#include "base/helper_thread.h"

namespace wick {
namespace {

size_t usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0) {
    return static_cast<size_t>(std::max(1, CPU_COUNT(&set)));
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace

WorkerPool::WorkerPool(size_t workers) : workers_(workers == 0 ? usable_cores() : workers) {}

WorkerPool::~WorkerPool() {
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
    started_.notify_all();
  }
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

void WorkerPool::start_threads() {
  // If no thread can be started (a limit on tasks), the caller does the work alone.
  try {
    while (threads_.size() + 1 < workers_) {
      threads_.push_back(
          start_helper_thread([this, worker = threads_.size() + 1] { serve(worker); }));
    }
  } catch (const std::system_error&) {
    workers_ = threads_.size() + 1;
  }
}

void WorkerPool::start(size_t count, size_t piece, Work work) {
  auto range = std::make_shared<Range>();
  range->work = std::move(work);
  range->count = count;
  range->piece = std::max<size_t>(piece, 1);
  bool worth_it = workers_ > 1 && count > range->piece;
  if (worth_it) {
    start_threads();
  }
  std::lock_guard lock(mutex_);
  range_ = std::move(range);
  if (worth_it) {
    started_.notify_all();
  }
}

void WorkerPool::finish() {
  if (range_ == nullptr) {
    return;
  }
  take_pieces(*range_, 0);
  std::unique_lock lock(mutex_);
  finished_.wait(lock, [&] { return range_->done == range_->count; });
  range_ = nullptr;
}

void WorkerPool::serve(size_t worker) {
  std::shared_ptr<Range> served;
  std::unique_lock lock(mutex_);
  while (true) {
    started_.wait(lock, [&] { return closing_ || (range_ != nullptr && range_ != served); });
    if (closing_) {
      return;
    }
    served = range_;
    lock.unlock();
    take_pieces(*served, worker);
    lock.lock();
  }
}

void WorkerPool::take_pieces(Range& range, size_t worker) {
  while (true) {
    size_t begin = range.next.fetch_add(range.piece);
    if (begin >= range.count) {
      return;
    }
    size_t end = std::min(begin + range.piece, range.count);
    for (size_t index = begin; index < end; ++index) {
      range.work(index, worker);
    }
    if (range.done.fetch_add(end - begin) + end - begin == range.count) {
      std::lock_guard lock(mutex_);
      finished_.notify_all();
    }
  }
}

}  // namespace wick

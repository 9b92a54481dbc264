#include "base/worker_pool.h"

#include <algorithm>
#include <system_error>

#include <sched.h>

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
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

void WorkerPool::start_threads() {
  // Where no thread can be had (a limit on tasks), the caller does the work alone.
  try {
    while (threads_.size() + 1 < workers_) {
      threads_.emplace_back([this, worker = threads_.size() + 1] { serve(worker); });
    }
  } catch (const std::system_error&) {
    workers_ = threads_.size() + 1;
  }
}

void WorkerPool::run(size_t count, size_t piece, const Work& work) {
  work_ = &work;
  count_ = count;
  piece_ = std::max<size_t>(piece, 1);
  next_ = 0;
  if (workers_ == 1 || count <= piece_) {
    take_pieces(0);
    return;
  }
  start_threads();
  {
    std::lock_guard lock(mutex_);
    busy_ = threads_.size();
    ++round_;
    changed_.notify_all();
  }
  take_pieces(0);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return busy_ == 0; });
}

void WorkerPool::serve(size_t worker) {
  uint64_t served = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return closing_ || round_ != served; });
    if (closing_) {
      return;
    }
    served = round_;
    lock.unlock();
    take_pieces(worker);
    lock.lock();
    if (--busy_ == 0) {
      changed_.notify_all();
    }
  }
}

void WorkerPool::take_pieces(size_t worker) {
  while (true) {
    size_t begin = next_.fetch_add(piece_);
    if (begin >= count_) {
      return;
    }
    for (size_t index = begin; index < std::min(begin + piece_, count_); ++index) {
      (*work_)(index, worker);
    }
  }
}

}  // namespace wick

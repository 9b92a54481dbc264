// SPDX-License-Identifier: Apache-2.0
#include "base/pager.h"

#include <system_error>

#include "base/helper_thread.h"

namespace wick {

Pager::~Pager() {
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) {
    thread_.join();
  }
}

// If no thread can be started (a limit on tasks), the reader maps its pages itself.
bool Pager::start_thread() {
  if (!thread_.joinable() && std::thread::hardware_concurrency() > 1) {
    try {
      thread_ = start_helper_thread([this] { serve(); });
    } catch (const std::system_error&) {
    }
  }
  return thread_.joinable();
}

void Pager::add(const Job& job) {
  waiting_.push_back(job);
  waiting_bytes_ += job.end - job.begin;
  changed_.notify_all();
}

void Pager::read_ahead(const MappedFile& file, uint64_t begin, uint64_t end) {
  if (!start_thread()) {
    return;
  }
  std::lock_guard lock(mutex_);
  if (waiting_bytes_ < kMaxWaitingBytes) {
    add({&file, begin, end, true});
  }
}

void Pager::forget(const MappedFile& file, uint64_t begin, uint64_t end) {
  if (begin >= end) {
    return;
  }
  if (!thread_.joinable()) {
    file.forget(begin, end);
    return;
  }
  std::unique_lock lock(mutex_);
  add({&file, begin, end, false});
  while (waiting_bytes_ > kMaxWaitingBytes) {
    do_first(lock);
  }
}

void Pager::do_first(std::unique_lock<std::mutex>& lock) {
  Job job = waiting_.front();
  waiting_.pop_front();
  waiting_bytes_ -= job.end - job.begin;
  lock.unlock();
  if (job.ahead) {
    job.file->populate(job.begin, job.end);
  } else {
    job.file->forget(job.begin, job.end);
  }
  lock.lock();
}

void Pager::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return closing_ || !waiting_.empty(); });
    if (closing_) {
      return;
    }
    do_first(lock);
  }
}

}  // namespace wick

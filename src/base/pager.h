// SPDX-License-Identifier: Apache-2.0
// Pager: maps the pages of a file ahead of its reader and unmaps those that the reader has passed,
// on its own thread. For a file in the page cache this is a third of the work of reading it; for
// any other file the disk works at the same time as the reader.
//
// The Pager is only an optimisation: a page that is not mapped when it is read is mapped then. Jobs
// start in order, so pages that are mapped ahead and then passed are unmapped later. If the thread
// is too slow, nothing is mapped ahead and the reader takes jobs from the queue itself, so that
// memory stays bounded.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>

#include "base/mapped_file.h"

namespace wick {

class Pager {
 public:
  Pager() = default;
  ~Pager();
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;

  // The files must outlive the pager.
  void read_ahead(const MappedFile& file, uint64_t begin, uint64_t end);
  void forget(const MappedFile& file, uint64_t begin, uint64_t end);

 private:
  struct Job {
    const MappedFile* file = nullptr;
    uint64_t begin = 0;
    uint64_t end = 0;
    bool ahead = false;
  };
  static constexpr uint64_t kMaxWaitingBytes = 8 << 20;

  bool start_thread();
  void serve();
  void add(const Job& job);
  // Removes the first job from the queue and runs it without holding the lock.
  void do_first(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> waiting_;
  uint64_t waiting_bytes_ = 0;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace wick

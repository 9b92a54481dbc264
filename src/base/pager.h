// Pager: maps the pages of a file ahead of its reader and unmaps them behind it, on a thread of its
// own. For a file that is in the page cache this is a third of the work of reading it; for one
// that is not, the disk is busy while the reader works.
//
// Nothing depends on it: a page that is not there when it is read is mapped then. Jobs are begun in
// order, so that what is mapped ahead and passed meanwhile is unmapped afterwards. When the thread
// falls behind, pages are not mapped ahead, and the reader takes jobs from the queue itself: the
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
  static constexpr uint64_t kMostWaitingBytes = 8 << 20;

  bool start_thread();
  void serve();
  void add(const Job& job);
  // Takes the first job off the queue and does it without the lock.
  void do_first(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> waiting_;
  uint64_t waiting_bytes_ = 0;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace wick

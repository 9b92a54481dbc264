// SPDX-License-Identifier: Apache-2.0
// How batches travel from one worker to another: a mailbox for each receiver.
//
// An exchange belongs to one key_on step. It is closed when every worker has sent its last batch; a
// receiver is done when it sees the exchange closed and then its mailbox empty.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "dataflow/python_ref.h"

namespace dataflow {

struct Batch {
  Ref items;  // a list
  size_t size = 0;
  size_t sender = 0;  // the sending worker
};

// An idle worker waits for work in it; an early wake-up is not lost.
class Parking {
 public:
  void park(std::chrono::milliseconds at_most);
  void unpark();

 private:
  std::mutex mutex_;
  std::condition_variable woken_;
  bool awake_ = false;
};

class Exchange {
 public:
  explicit Exchange(size_t workers) : mailboxes_(workers) {}

  void send(size_t receiver, Batch batch);
  // False if the mailbox is empty.
  bool receive(size_t receiver, Batch& batch);
  size_t longest_queue() const;

  void sender_is_done() { done_senders_.fetch_add(1, std::memory_order_release); }
  bool closed() const { return done_senders_.load(std::memory_order_acquire) == mailboxes_.size(); }

 private:
  struct Mailbox {
    std::mutex mutex;
    std::deque<Batch> batches;
    std::atomic<size_t> length = 0;
  };
  std::vector<Mailbox> mailboxes_;
  std::atomic<size_t> done_senders_ = 0;
};

}  // namespace dataflow

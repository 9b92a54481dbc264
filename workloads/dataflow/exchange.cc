// SPDX-License-Identifier: Apache-2.0
#include "dataflow/exchange.h"

#include <algorithm>
#include <utility>

#include "common/no_inline.h"

namespace dataflow {

WORKLOAD_FUNCTION void Parking::park(std::chrono::milliseconds at_most) {
  std::unique_lock lock(mutex_);
  woken_.wait_for(lock, at_most, [this] { return awake_; });
  awake_ = false;
}

void Parking::unpark() {
  {
    std::lock_guard lock(mutex_);
    awake_ = true;
  }
  woken_.notify_one();
}

void Exchange::send(size_t receiver, Batch batch) {
  Mailbox& mailbox = mailboxes_[receiver];
  std::lock_guard lock(mailbox.mutex);
  mailbox.batches.push_back(std::move(batch));
  mailbox.length.store(mailbox.batches.size(), std::memory_order_relaxed);
}

bool Exchange::receive(size_t receiver, Batch& batch) {
  Mailbox& mailbox = mailboxes_[receiver];
  std::lock_guard lock(mailbox.mutex);
  if (mailbox.batches.empty()) {
    return false;
  }
  batch = std::move(mailbox.batches.front());
  mailbox.batches.pop_front();
  mailbox.length.store(mailbox.batches.size(), std::memory_order_relaxed);
  return true;
}

size_t Exchange::longest_queue() const {
  size_t longest = 0;
  for (const Mailbox& mailbox : mailboxes_) {
    longest = std::max(longest, mailbox.length.load(std::memory_order_relaxed));
  }
  return longest;
}

}  // namespace dataflow

// SPDX-License-Identifier: Apache-2.0
// Starts the threads of a client together, stops them together, and reports when all have ended.
//
// A thread that fails passes its sentence to stop(); the first one counts. Threads that think wait
// for that event as well, so a failure ends them at once.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include <poll.h>
#include <sys/eventfd.h>

#include "common/no_inline.h"
#include "memory_mock/failure.h"
#include "memory_mock/sockets.h"

namespace memory_mock {

// An event that threads can wait for together with other descriptors.
class Event {
 public:
  Event() : descriptor_(eventfd(0, EFD_CLOEXEC)) {
    if (descriptor_.get() < 0) {
      throw Failure("No event for the threads could be made: " + why() + ".");
    }
  }
  void happen() const { eventfd_write(descriptor_.get(), 1); }
  pollfd to_wait_for() const { return {descriptor_.get(), POLLIN, 0}; }

 private:
  Descriptor descriptor_;
};

class Conductor {
 public:
  void start(size_t threads) {
    running_ = threads;
    if (threads == 0) {
      all_ended_.happen();
    }
    started_ = true;
    started_.notify_all();
  }
  void wait_for_start() const { started_.wait(false); }

  void stop(const std::string& sentence) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!stopped_) {
      failure_ = sentence;
      stopped_ = true;
      stop_.happen();
    }
  }
  bool stopped() const { return stopped_; }
  const std::string& failure() const { return failure_; }

  void one_ended() {
    if (--running_ == 0) {
      all_ended_.happen();
    }
  }
  const Event& all_ended() const { return all_ended_; }

  // Sleeps, but wakes up when the others have stopped.
  WORKLOAD_FUNCTION void think(int milliseconds) const {
    if (milliseconds > 0) {
      pollfd event = stop_.to_wait_for();
      poll(&event, 1, milliseconds);
    }
  }

 private:
  Event stop_, all_ended_;
  std::atomic<bool> started_ = false;
  std::atomic<bool> stopped_ = false;
  std::atomic<size_t> running_ = 0;
  std::mutex mutex_;
  std::string failure_;
};

}  // namespace memory_mock

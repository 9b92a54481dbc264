// SPDX-License-Identifier: Apache-2.0
// The two ways in which a pair exchanges a token: through a Unix stream socket, or through two
// futex words. Both forms use the same ends, so both make the same system calls.
//
//     put()   the other end has a token          write        FUTEX_WAKE
//     take()  waits for the token of this end    recvfrom     FUTEX_WAIT
//
// A token that is already there is taken at once: the call enters the kernel and returns without
// waiting. The coroutine form depends only on this, because it takes only after a put.
//
// An end holds at most the bytes of one stopping pair, so put() never waits.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "measurement.h"

namespace echo {

class SocketEnd {
 public:
  void put() const;
  void take() const;

 private:
  friend class SocketPairs;
  int socket_ = -1;
};

// Both ends of all pairs: 2 p is the first of pair p, 2 p + 1 its second.
class SocketPairs {
 public:
  using End = SocketEnd;

  SocketPairs() = default;
  ~SocketPairs();
  SocketPairs(const SocketPairs&) = delete;
  SocketPairs& operator=(const SocketPairs&) = delete;

  Problem open(int pairs);
  SocketEnd& end(int task) { return ends_[static_cast<size_t>(task)]; }

 private:
  std::vector<SocketEnd> ends_;
};

class FutexEnd {
 public:
  void put() const;
  void take() const;

 private:
  friend class FutexPairs;
  std::atomic<uint32_t>* mine_ = nullptr;  // 1: there is a token for this end
  std::atomic<uint32_t>* others_ = nullptr;
};

class FutexPairs {
 public:
  using End = FutexEnd;

  Problem open(int pairs);
  FutexEnd& end(int task) { return ends_[static_cast<size_t>(task)]; }

 private:
  // One cache line each: the hand-over is measured, not false sharing of neighbours.
  struct alignas(64) Word {
    std::atomic<uint32_t> token = 0;
  };
  std::unique_ptr<Word[]> words_;
  std::vector<FutexEnd> ends_;
};

}  // namespace echo

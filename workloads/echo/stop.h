// SPDX-License-Identifier: Apache-2.0
// When a run ends: after its time, or at SIGINT or SIGTERM.
//
// All three are signals whose handler sets one flag, which every task reads once per iteration.
// Only the main thread receives signals, so no call of another thread is ever interrupted.
#pragma once

#include <atomic>
#include <csignal>

namespace echo {

inline std::atomic<bool> stop_asked = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

inline void ask_to_stop() {
  stop_asked.store(true, std::memory_order_relaxed);
}
inline bool should_stop() {
  return stop_asked.load(std::memory_order_relaxed);
}

// From now on SIGINT, SIGTERM and the timer request a stop.
void listen_for_stop();
// Requests a stop after this many seconds, more than 0.
void stop_after(double seconds);

// While this object lives, new threads start with all signals blocked.
class SignalsBlocked {
 public:
  SignalsBlocked();
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace echo

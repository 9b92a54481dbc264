// SPDX-License-Identifier: Apache-2.0
// Threads that help the main thread. Signals belong to the main thread (a recorder blocks them and
// reads them from a descriptor), so helpers block all signals except those that their own
// instructions cause: a read from a mapped file that became shorter (mapped_file.h).
#pragma once

#include <system_error>
#include <thread>
#include <utility>

#include <signal.h>

#include "base/result.h"

namespace wick {

// Throws std::system_error if no thread can be started, as std::thread does.
template <typename Run>
std::thread start_helper_thread(Run run) {
  class SignalsBlocked {
   public:
    SignalsBlocked() {
      sigset_t set;
      ::sigfillset(&set);
      for (int own : {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) {
        ::sigdelset(&set, own);
      }
      ::pthread_sigmask(SIG_BLOCK, &set, &before_);
    }
    ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

   private:
    sigset_t before_ = {};
  };
  SignalsBlocked while_starting;
  return std::thread(std::move(run));
}

// For callers that cannot work without the thread.
template <typename Run>
Result<std::thread> try_start_helper_thread(Run run) {
  try {
    return start_helper_thread(std::move(run));
  } catch (const std::system_error& error) {
    return fail(
        "Cannot start a thread: {}. `ulimit -u` and the container's limits say how many are "
        "allowed.",
        error.code().message());
  }
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "stop.h"

#include <cmath>
#include <cstdint>

#include <sys/time.h>

namespace echo {

namespace {

void on_signal(int) {
  ask_to_stop();
}

}  // namespace

void listen_for_stop() {
  struct sigaction action{};
  action.sa_handler = on_signal;  // no SA_RESTART: a wait for a child then checks the flag again
  for (int signal : {SIGINT, SIGTERM, SIGALRM}) {
    sigaction(signal, &action, nullptr);
  }
}

void stop_after(double seconds) {
  auto microseconds = static_cast<int64_t>(std::ceil(seconds * 1e6));  // up: 0 would mean never
  itimerval timer{};
  timer.it_value.tv_sec = microseconds / 1'000'000;
  timer.it_value.tv_usec = microseconds % 1'000'000;
  setitimer(ITIMER_REAL, &timer, nullptr);
}

SignalsBlocked::SignalsBlocked() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before_);
}

SignalsBlocked::~SignalsBlocked() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace echo

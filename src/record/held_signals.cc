// SPDX-License-Identifier: Apache-2.0
#include "record/held_signals.h"

#include <algorithm>

#include <sys/signalfd.h>
#include <unistd.h>

namespace wick::record {
namespace {

bool is_ignored(int number) {
  if (number == SIGINT || number == SIGQUIT) {
    return false;  // while they are blocked, the kernel does not ignore them
  }
  struct sigaction action = {};
  return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

HeldSignals::HeldSignals() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGCHLD);
  ::sigaddset(&set, SIGPIPE);  // the reader of wick's output may end; the recording continues
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM}) {
    if (!is_ignored(number)) {
      ::sigaddset(&set, number);
    }
  }
  ::pthread_sigmask(SIG_BLOCK, &set, &old_mask_);
  descriptor_ = Descriptor(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!descriptor_.valid()) {  // out of descriptors: signals must still be able to end wick
    ::pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
  }
}

HeldSignals::~HeldSignals() {
  // A signal that came twice must not kill wick at the end.
  while (next()) {
  }
  ::pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
}

std::optional<HeldSignals::Received> HeldSignals::next() {
  if (waiting_.empty()) {
    return receive();
  }
  Received first = waiting_.front();
  waiting_.pop_front();
  return first;
}

int HeldSignals::request_to_end() {
  while (std::optional<Received> received = receive()) {
    waiting_.push_back(*received);
  }
  auto first = std::ranges::find_if(waiting_, &Received::asks_to_end);
  return first != waiting_.end() ? first->number : 0;
}

std::optional<HeldSignals::Received> HeldSignals::receive() {
  signalfd_siginfo info = {};
  if (::read(descriptor_.get(), &info, sizeof info) != sizeof info) {
    return {};
  }
  // A terminal sends Ctrl+C to the whole group. When it vanishes, the kernel sends SIGHUP to the
  // leader of the session alone, which may be wick.
  bool from_terminal = info.ssi_code == SI_KERNEL && info.ssi_signo != SIGHUP;
  return Received{static_cast<int>(info.ssi_signo), from_terminal};
}

}  // namespace wick::record

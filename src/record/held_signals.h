// SPDX-License-Identifier: Apache-2.0
// During a recording, and while its file is written, signals arrive through a descriptor, so that
// none of them kills wick. Signals that were already ignored when wick started (nohup) stay
// ignored, except those of Ctrl+C and Ctrl+\: a script ignores them for all programs that it starts
// with &, and a recording without an end would never end.
#pragma once

#include <deque>
#include <optional>

#include <signal.h>

#include "base/descriptor.h"

namespace wick::record {

// After a signal, how long wick waits for readers of its output and of the program's.
inline constexpr double kReaderSeconds = 2;

// The status of a process that a signal ended, as a shell reports it.
constexpr int shell_status(int signal_number) {
  constexpr int kFirst = 128;
  return kFirst + signal_number;
}

class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  // Readable if next() has a signal.
  int descriptor() const { return descriptor_.get(); }
  // The signals that were blocked before; for children.
  const sigset_t& old_mask() const { return old_mask_; }

  struct Received {
    int number = 0;
    bool from_terminal = false;  // the whole process group has received it

    // Whether the signal asks wick to end, and is not just a message.
    bool asks_to_end() const {
      return number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
    }
  };
  std::optional<Received> next();
  // The first waiting signal that asks wick to end, or 0. next() will return it, too.
  int request_to_end();

 private:
  std::optional<Received> receive();

  sigset_t old_mask_ = {};
  Descriptor descriptor_;
  std::deque<Received> waiting_;  // received, but not yet taken
};

}  // namespace wick::record

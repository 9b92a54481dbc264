// While a recording is made and its file is written, signals come through a descriptor, and none
// kills wick in between. Those that whoever started wick has set to be ignored (nohup) stay so.
#pragma once

#include <optional>

#include <signal.h>

#include "base/descriptor.h"

namespace wick::record {

class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  // Readable when next() has one.
  int descriptor() const { return descriptor_.get(); }
  // What was blocked before: for children.
  const sigset_t& old_mask() const { return old_mask_; }

  struct Received {
    int number = 0;
    bool from_terminal = false;

    // Rather than to tell something.
    bool asks_to_end() const {
      return number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
    }
  };
  std::optional<Received> next();

 private:
  sigset_t old_mask_ = {};
  Descriptor descriptor_;
};

}  // namespace wick::record

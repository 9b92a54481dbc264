// What the unwinder finds out about stacks, for a recorder that copies them. It flows against the
// events: a recorder asks after a checkpoint and copies the next stacks better.
#pragma once

#include <cstdint>
#include <vector>

namespace wick {

struct StackFindings {
  struct Location {
    int32_t tid = -1;
    uint64_t address = 0;
  };
  // Where the stack of a thread ended before its copy did. Address 0: a stack that was believed to
  // end at a known address went on.
  struct End : Location {
    // A zero was found where the next caller would be. Stacks that a program made itself end so,
    // but now and then the address is just wrong.
    bool is_guess = false;
  };

  // A stack was cut. The sooner its samples come, the more of it is still in the program.
  bool ran_out = false;
  std::vector<End> ends;
  // Threads that handle signals on a stack of their own: where that stack has the stack pointer of
  // what was interrupted.
  std::vector<Location> handlers;
};

class StackFeedback {
 public:
  virtual ~StackFeedback() = default;
  // What was found since the last call.
  virtual StackFindings take_stack_findings() = 0;
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Facts that the unwinder learns about stacks, for a recorder that copies them. They flow against
// the events: the recorder asks for them after a checkpoint and copies the next stacks accordingly.
#pragma once

#include <cstdint>
#include <vector>

namespace wick {

struct StackFindings {
  struct Location {
    int32_t tid = -1;
    uint64_t address = 0;
  };
  // The stack of a thread ended here, before its copy did. Address 0: a stack that was thought to
  // end at a known address continued.
  struct End : Location {
    // The unwinder found a zero instead of a caller. Stacks that a program made itself end so, but
    // sometimes the address is simply wrong.
    bool is_guess = false;
  };

  // Where a thread of a Go program has its current goroutine, and where a goroutine that is not
  // running has its registers: stack pointer, pc and, at an offset from them, frame pointer.
  struct Goroutines {
    int32_t tid = -1;
    uint64_t current = 0;        // address of the pointer to the goroutine
    uint32_t saved = 0;          // offset of the registers in a goroutine
    uint32_t frame_pointer = 0;  // offset in the registers
    bool operator==(const Goroutines&) const = default;
  };

  // A copy was too short. The sooner its samples arrive, the more of the stack is still in the
  // program.
  bool ran_out = false;
  std::vector<End> ends;
  // Threads that handle signals on an alternate stack: the address on that stack that holds the
  // stack pointer of the interrupted code.
  std::vector<Location> handlers;
  std::vector<Goroutines> goroutines;
};

class StackFeedback {
 public:
  virtual ~StackFeedback() = default;
  // Returns the facts learnt since the last call.
  virtual StackFindings take_stack_findings() = 0;
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Facts that the unwinder learns about stacks, for a recorder that copies them. They flow against
// the events: the recorder asks for them after a checkpoint and copies the next stacks accordingly.
#pragma once

#include <array>
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

  // Where a thread of an interpreter has the list of its frames, innermost first, for a recorder that
  // copies the list at each sample. All offsets are in bytes. Both pointers in a node are aligned and
  // in its copied part.
  struct FrameList {
    static constexpr uint32_t kDirect = UINT32_MAX;

    int32_t tid = -1;
    uint64_t head = 0;  // address of the pointer to the first node; 0: do not copy any more
    uint32_t through = kDirect;  // if `head` leads to a struct with that pointer: its offset there
    uint32_t next = 0;           // in a node: the pointer to the next one; 0 ends the list
    uint32_t node_bytes = 0;     // to copy of each node, from its start
    uint32_t code = 0;           // in a node: the pointer to the code that it runs
    uint64_t code_mask = UINT64_MAX;  // the bits of that pointer that are an address
    uint32_t code_begin = 0;          // to copy of that code: offset and size
    uint32_t code_bytes = 0;
    uint64_t check = 0;     // the address of a word that has the value `expected` while the thread
    uint64_t expected = 0;  // lives; 0: not checked
    std::array<uint64_t, 3> words = {};  // addresses of words to copy with the list; 0: none
    // The address of another such pointer as `head` has: its list continues this one, as the
    // callers of its frames. 0: none.
    uint64_t outer = 0;

    // The task that the thread runs, of several that take turns: an object, copied with the list.
    // `pointer` leads to the object, or to a table of which it is one of the last entries: three
    // words, of which the second is a key, and the third leads to the object. The entries follow
    // indices, whose bytes the word at 8 says: as a number, or as a logarithm in its second byte.
    struct Task {
      uint64_t pointer = 0;  // its address; 0: do not copy
      bool is_in_table = false;
      bool has_logarithm = false;
      uint32_t entries = 0;  // in the table: the first entry, if there were no indices
      uint32_t count = 0;    // in the table: the number of entries
      uint64_t key = 0;      // 0: any
      uint32_t name = 0;     // in the object: a pointer to another object, which is copied, too
      bool operator==(const Task&) const = default;
    };
    Task task;
    bool operator==(const FrameList&) const = default;
  };

  // A copy was too short. The sooner its samples arrive, the more of the stack is still in the
  // program.
  bool ran_out = false;
  std::vector<End> ends;
  // Threads that handle signals on an alternate stack: the address on that stack that holds the
  // stack pointer of the interrupted code.
  std::vector<Location> handlers;
  std::vector<Goroutines> goroutines;
  std::vector<FrameList> frame_lists;
};

class StackFeedback {
 public:
  virtual ~StackFeedback() = default;
  // Returns the facts learnt since the last call.
  virtual StackFindings take_stack_findings() = 0;
};

}  // namespace wick

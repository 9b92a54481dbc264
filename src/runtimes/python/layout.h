// SPDX-License-Identifier: Apache-2.0
// Where the structs of CPython have the few fields that wick reads. All numbers are offsets in
// bytes.
//
//     _PyRuntime -> interpreters -> threads -> frame -> frame ...
//                                              frame -> code -> name, file, table of lines
//
// A released version never changes its structs, so those up to 3.12 are a table. 3.13 and later
// describe themselves (debug_offsets.h). What a frame is has changed twice:
//
//     3.8 to 3.10   an object; the evaluator runs one frame, so each frame is an entry
//     3.11          a struct; the evaluator runs calls itself, and marks frames that it was called for
//     3.12          the same, but the evaluator puts a frame of its own (a shim) under such a frame
#pragma once

#include <cstdint>

#include "base/processor.h"
#include "base/result.h"
#include "runtimes/python/version.h"
#include "stream/stack_feedback.h"

namespace wick::python {

struct Layout {
  static constexpr uint32_t kAbsent = UINT32_MAX;

  struct Runtime {
    uint32_t interpreters = 0;
  };
  struct Interpreter {
    uint32_t next = 0;
    uint32_t threads = 0;
  };
  struct Thread {
    uint32_t next = 0;
    uint32_t interpreter = 0;
    uint32_t pthread = 0;
    uint32_t tid = kAbsent;
    uint32_t frame = 0;
    uint32_t through = StackFindings::FrameList::kDirect;  // `frame` leads to a struct that has it
  };
  enum class Entries : uint8_t { kAll, kMarked, kShims };
  // How a frame says at which instruction it is: bytes from the start, instructions of two bytes
  // each, or a pointer.
  enum class Position : uint8_t { kBytes, kInstructions, kPointer };
  struct Frame {
    uint32_t next = 0;
    uint32_t code = 0;
    uint64_t code_mask = UINT64_MAX;
    uint32_t position = 0;
    Position position_kind = Position::kPointer;
    Entries entries = Entries::kShims;
    uint32_t mark = 0;  // one byte: not 0 for an entry, or from kFirstShim on for a shim
    // Whose frame it is: one byte, kGenerator for a generator or coroutine. In 3.8 to 3.10: a pointer
    // to that object.
    uint32_t owner = 0;
  };
  static constexpr uint8_t kGenerator = 1;
  static constexpr uint8_t kFirstShim = 3;
  enum class Lines : uint8_t { kPairs, kRanges, kLocations };  // lines.h
  struct Code {
    uint32_t file = 0;
    uint32_t name = 0;  // qualified, where the version has such names
    uint32_t first_line = 0;
    uint32_t lines = 0;
    // The instructions are part of the object, from `begin` on, or a bytes object that it points to.
    uint32_t begin = 0;
    uint32_t instructions = kAbsent;
    uint32_t flags = 48;
    Lines lines_kind = Lines::kLocations;
  };
  // The start of an object, its type, and strings.
  struct Object {
    uint32_t type = 8;
    uint32_t type_flags = 168;
    uint32_t type_name = 24;
    uint32_t bytes_size = 16;
    uint32_t bytes_data = 32;
    uint32_t text_length = 16;
    uint32_t text_state = 32;
    uint32_t text_kind_bit = 2;        // in the state: the lowest bit of the size of a character
    uint32_t ascii_data = 40;          // characters follow the struct
    uint32_t compact_data = 56;        // the same if they are not all ASCII
    uint32_t text_pointer = 56;        // or a pointer to them is here
    bool has_table_logarithms = true;  // a dictionary says its size as a logarithm (dictionary.h)
  };
  // The global interpreter lock: the thread that has taken it last, and whether it is taken.
  struct Lock {
    uint32_t pointer = kAbsent;  // in an interpreter; if absent, it is part of the runtime
    uint32_t holder = 0;
    uint32_t locked = 0;
    uint32_t enabled = kAbsent;  // builds without the lock have one that extensions switch on
    // Where other threads ask for it: not 0. Since 3.13 it is the lowest bit, in the thread that has
    // the lock; before, in the interpreter, and in 3.8 in the runtime.
    enum class Asked : uint8_t { kThread, kInterpreter, kRuntime };
    uint32_t asked = 0;
    Asked asked_in = Asked::kInterpreter;
  };
  // The object of a coroutine that waits, and what it waits for: the top of its frame's stack.
  struct Coroutine {
    uint32_t frame = 72;
    bool frame_is_pointer = false;  // else the frame is a part of the object
    // As a pointer behind the top; as a pointer to the stack, and a number; as a number from `stack`.
    enum class Top : uint8_t { kPointer, kDepth, kNumber };
    Top top_kind = Top::kNumber;
    uint32_t top = 64;    // in the frame
    uint32_t stack = 72;  // in the frame
  };
  // The attributes of an object (thread_names.h). The names of those that are in an array of values
  // are in its type.
  struct Attributes {
    // In a dictionary; in an array before the object, or a dictionary; the same with one pointer to
    // either; in an array after the object, or a dictionary.
    enum class Where : uint8_t { kDictionary, kBefore, kEither, kAfter };
    Where where = Where::kEither;
    uint32_t names = 880;
  };
  // What asyncio has in memory (tasks.h).
  struct Task {
    bool is_known = true;
    uint32_t modules = 0;        // in an interpreter: its dictionary of modules
    uint32_t running = kAbsent;  // in a thread: the task that it runs; absent before 3.14
    uint32_t waiter = 0;         // in a task: the future that it waits for
    uint32_t coroutine = 0;
    uint32_t name = 0;
    uint32_t awaited_by = kAbsent;  // in a future
    uint32_t closure = 72;          // in a function
    uint32_t resumed = 24;          // in a callback that resumes a task: the task
  };

  Runtime runtime;
  Interpreter interpreter;
  Thread thread;
  Frame frame;
  Code code;
  Object object;
  Lock lock;
  Coroutine coroutine;
  Task task;
  Attributes attributes;
  bool names_threads = true;  // in Python only: since 3.14 the system has these names, too

  // The first part of each struct that contains all fields above.
  uint32_t thread_bytes() const;
  uint32_t frame_bytes() const;
  uint32_t code_bytes() const;
  // The part of a code object that identifies it: its pointers to name, file and lines.
  uint32_t fingerprint_begin() const;
  uint32_t fingerprint_bytes() const;
};

// Of a version that does not describe itself: 3.8 to 3.12.
Result<Layout> layout_from_table(const Version& version, Architecture machine);

}  // namespace wick::python

// SPDX-License-Identifier: Apache-2.0
// What all interpreters have in common: the frames of the programs that they run.
//
// An interpreter runs the functions of a program in its evaluator, a native function. So a native
// stack shows the evaluator, and the interpreter's own list of frames shows the functions. Both
// describe the same moment, and placement.h joins them:
//
//     native     main > evaluator > sort > evaluator > read
//     list              load_all, parse          key          (key is an entry, and load_all)
//     joined     main > evaluator > load_all > parse > sort > evaluator > key > read
//
// An InterpreterImage is a file that contains an interpreter, an InterpreterProcess a process that
// has loaded that file. Each runtime implements both in a folder of its own; runtimes.h lists them.
// Nothing here knows how memory is read: it may be a running process, or made up by a test.
//
// Memory lies: the process changes it at any time, and may be hostile. Every read is bounded, and
// no value is trusted. Functions return less rather than something that was not read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_piece.h"
#include "base/result.h"
#include "profile/tables.h"
#include "stream/event.h"
#include "stream/stack_feedback.h"

namespace wick {

// The memory of one process.
class InterpreterMemory {
 public:
  virtual ~InterpreterMemory() = default;
  // Fills `out` from its front, as far as memory is mapped at the address; returns the number of
  // bytes.
  virtual size_t read_some(uint64_t address, std::span<std::byte> out) = 0;

  bool read(uint64_t address, std::span<std::byte> out) {
    return read_some(address, out) == out.size();
  }
  // Fills all pieces, or returns false. A process is read faster so than piece by piece.
  virtual bool read_all(std::span<const MemoryPiece> pieces) {
    return std::ranges::all_of(
        pieces, [&](const MemoryPiece& piece) { return read(piece.address, piece.out); });
  }
};

// A frame of the list, before it has a name.
struct InterpreterFrame {
  uint64_t code = 0;         // address of what it runs; 0: an evaluator that runs nothing now
  uint64_t fingerprint = 0;  // of the code: other code at the same address has another one
  uint32_t position = 0;     // in the code, for InterpretedCode::line_at
  bool is_entry = false;     // the evaluator was called for this frame
  uint64_t node = 0;         // address of the frame itself
  uint64_t generator = 0;    // address of the generator or coroutine whose frame this is; or 0
  bool operator==(const InterpreterFrame&) const = default;
};

// A function of a program. It no longer refers to the memory of the process.
struct InterpretedCode {
  std::string name;         // qualified: "Parser.feed"
  std::string file;         // as the interpreter recorded it
  uint32_t first_line = 0;  // 0 if unknown
  // Where the process has its instructions; empty if unknown.
  uint64_t instructions = 0;
  uint64_t instruction_bytes = 0;
  bool is_coroutine = false;
  // The line of each position from `begin` on, sorted; 0: no line.
  struct Line {
    uint32_t begin = 0;
    uint32_t line = 0;
    bool operator==(const Line&) const = default;
  };
  std::vector<Line> lines;

  // 0 if unknown.
  uint32_t line_at(uint32_t position) const;
};

// The lock that a thread needs to run code of the program, where the interpreter has one.
// kHoldsAsked: it has the lock, and others have asked for it.
enum class LockUse : uint8_t { kUnknown, kHolds, kHoldsAsked, kOtherHolds, kFree };
inline constexpr size_t kLockUses = 5;
// "other holds"; empty if unknown.
std::string_view name_of(LockUse use);

// A thread may run several tasks in turns, each of which is a coroutine with its callees.
struct InterpreterTask {
  enum class State : uint8_t {
    kNone,     // the thread runs no task
    kUnknown,  // it may run one, but which one is not certain
    kKnown,
  };
  State state = State::kNone;
  std::string name;
  size_t root = 0;  // which frame of the list is that of its outermost coroutine
  StackFindings::FrameList::Task where;  // from now on, for this thread
  // The coroutines that wait for the task, innermost first: those of the task that waits for it, of
  // the task that waits for that one, and so on.
  std::vector<InterpreterFrame> awaiters;
};

class InterpreterProcess {
 public:
  virtual ~InterpreterProcess() = default;

  // The threads that the interpreter knows, with their numbers as the process sees them.
  virtual std::vector<StackFindings::FrameList> threads() = 0;
  // Why threads() may be empty, as a sentence for users.
  virtual std::string why_no_threads() const = 0;
  // Whether one thread at a time runs code of the program.
  virtual bool has_lock() { return false; }
  // The frames in a copy of a thread's list, innermost first. Those without code of the program are
  // left out, except for evaluators that run nothing, which placement.h needs.
  virtual std::vector<InterpreterFrame> frames(const CopiedFrameList& list) const = 0;
  // Whether a thread had the lock when its list was copied.
  virtual LockUse lock_use(const StackFindings::FrameList& /*list*/,
                           const CopiedFrameList& /*copy*/) const {
    return LockUse::kUnknown;
  }
  // The name that the program gave the thread of a list; empty if it is not known.
  virtual std::string thread_name(const StackFindings::FrameList& /*list*/) { return {}; }
  // The task that a thread ran when its list was copied. `frames`: those of the copy.
  virtual InterpreterTask task(const StackFindings::FrameList& /*list*/,
                               const CopiedFrameList& /*copy*/,
                               std::span<const InterpreterFrame> /*frames*/) {
    return {};
  }
  // Reads the code of a frame of such a copy. None if it is no longer there.
  virtual std::optional<InterpretedCode> code(const InterpreterFrame& frame) = 0;
};

class InterpreterImage {
 public:
  virtual ~InterpreterImage() = default;

  virtual std::string name() const = 0;  // with its version: "CPython 3.11.2"
  virtual Language language() const = 0;
  // Whether it can name its functions for other tools, in a perf map.
  virtual bool writes_perf_map() const { return false; }
  // Whether an address, as linked, is in the evaluator.
  virtual bool is_evaluator(uint64_t address) const = 0;
  // `bias`: the difference between addresses in the process and those as linked. An error is a
  // sentence, such as "CPython 3.15 is not supported". `memory` must outlive the result.
  virtual Result<std::unique_ptr<InterpreterProcess>> attach(InterpreterMemory& memory,
                                                             uint64_t bias) const = 0;
};

}  // namespace wick

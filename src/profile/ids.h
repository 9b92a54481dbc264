// The row types of the profile and their ids: what a module, function, frame, thread ... is.
//
// Everything that repeats is interned: a record is stored once and named by its id from then on.
// All text is a StringId into the profile's one string table.
#pragma once

#include <cstdint>
#include <vector>

#include "base/id.h"
#include "base/processor.h"
#include "base/string_table.h"

namespace wick {

using ModuleId = Id<struct ModuleTag>;
using FunctionId = Id<struct FunctionTag>;
using FrameId = Id<struct FrameTag>;
using StackId = Id<struct StackTag>;
using ProcessId = Id<struct ProcessTag>;
using ThreadId = Id<struct ThreadTag>;
using EventId = Id<struct EventTag>;

// A mapped file: a program, a library, the kernel, the vdso.
struct Module {
  StringId path;
  StringId build_id;  // lower-case hex, empty when unknown
  friend bool operator==(const Module&, const Module&) = default;
};

// A function as the compiler saw it. Inlined functions are functions too.
struct Function {
  StringId name;          // as shown to people (demangled)
  StringId linkage_name;  // as in the symbol table, empty when it is the same
  ModuleId module;        // none when unknown
  StringId file;          // source file, empty when unknown
  uint32_t line = 0;      // where it is declared, 0 when unknown
  uint64_t address = 0;   // where it starts in the module, as linked; 0 when unknown
  friend bool operator==(const Function&, const Function&) = default;
};

// How a frame was found: the reader of a stack may weigh certainty by it.
enum class Found : uint8_t {
  kUnknown,       // the file does not tell (folded text)
  kSampled,       // the sampled instruction itself
  kCfi,           // unwound with call frame information
  kFramePointer,  // followed a frame pointer
  kKernelChain,   // the kernel's own call chain
  kBranchStack,   // the processor's record of calls
  kStitched,      // joined from another sample of the thread
  kGuessed,       // found by scanning
};

// How a stack ended, seen from the leaf: at the outermost caller, or before it, and why.
enum class Ending : uint8_t {
  kUnknown,       // the file does not tell (folded text)
  kComplete,      // at the start of the program, of the thread, or of the kernel's work
  kCopyTooShort,  // truncated: the stack goes on beyond the bytes that were copied
  kTooDeep,       // truncated: more frames than the recorder follows
  kNoModule,      // broken: an address that no mapping covers
  kNoUnwindInfo,  // broken: code without call frame information, and no frame pointer to follow
  kNoFile,        // broken: the file with the call frame information is not here
  kBadMemory,     // broken: the rule reads memory outside of the stack
  kNoProgress,    // broken: the rule leads back to where it came from
  kNoUserStack,   // broken: the kernel part is there, nothing of the program's own stack
  kFramePointer,  // broken: the chain of frame pointers ends before the start of the thread
};
// Whether outer frames are known to be missing because a limit was met.
bool is_truncated(Ending ending);
// Whether outer frames are missing because the stack could not be followed.
bool is_broken(Ending ending);

// What else is known of a frame, as bits.
enum FrameFlags : uint8_t {
  kInlined = 1,  // no frame of its own on the stack: compiled into its caller
  kJit = 2,      // code generated at run time
  kWaker = 4,    // belongs to the thread that woke this one
};

// One place in the code: a function at an address and line. Equal places share a frame.
struct Frame {
  FunctionId function;   // none when the address could not be named
  ModuleId module;       // none when unknown
  uint64_t address = 0;  // inside the instruction, in the module, as linked; 0 when unknown
  uint32_t line = 0;     // 0 when unknown
  Mode mode = Mode::kUnknown;
  Found found = Found::kUnknown;
  uint8_t flags = 0;  // FrameFlags
  friend bool operator==(const Frame&, const Frame&) = default;
};

struct Process {
  int64_t pid = -1;
  StringId name;
  friend bool operator==(const Process&, const Process&) = default;
};

struct Thread {
  int64_t tid = -1;
  ProcessId process;  // none when unknown
  StringId name;
  friend bool operator==(const Thread&, const Thread&) = default;
};

// What was counted. A sample's weight is a whole number of 1/scale units: scale is 1 except where
// the input has decimals.
struct Event {
  StringId name;  // "cpu-clock", "cycles", "samples"
  StringId unit;  // "nanoseconds", "samples", "bytes", or what is counted
  uint32_t scale = 1;
  friend bool operator==(const Event&, const Event&) = default;
};

// An interval on a thread: off the CPU, inside a call, a region of the program.
struct Span {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  ThreadId thread;
  StringId name;
};

// A moment with a name, such as a line of the program's output; `value` is a second clock if it has
// one.
struct Mark {
  int64_t time_ns = 0;
  StringId name;
  double value = 0;
  bool has_value = false;
};

// One point of a quantity over time; equal names make one line.
struct CounterPoint {
  int64_t time_ns = 0;
  StringId name;
  StringId unit;
  double value = 0;
};

enum class LossClass : uint8_t {
  kNotice,    // nothing is missing from the numbers, but the reader should know
  kDataLoss,  // some of what was there is not in the profile
};

// Something that did not make it into the profile, and why. `count` things of kind `what` ("lines",
// "samples"); 0 when nobody can know how many.
struct Loss {
  StringId reason;
  StringId what;
  StringId detail;  // the first occurrence
  uint64_t count = 0;
  LossClass severity = LossClass::kDataLoss;
  friend bool operator==(const Loss&, const Loss&) = default;
};

// A fact about the recording as a whole: host, command, format.
struct Fact {
  StringId key;
  StringId value;
  friend bool operator==(const Fact&, const Fact&) = default;
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Rows about code: modules, functions, frames and stacks.
//
//     module      a mapped file
//     function    a name in a module
//     frame       a function at an address and line; origin and mode say how far to trust it
//     stack       a node of the tree of stacks
//
// Each row type is followed by its columns (column_spec.h). A field's initial value means
// "unknown".
#pragma once

#include <cstdint>
#include <string_view>

#include "base/build_kind.h"
#include "base/processor.h"
#include "base/stack_end.h"
#include "base/string_table.h"
#include "profile/column_spec.h"
#include "profile/unknown.h"

namespace wick {

// The base of a module's addresses.
enum class AddressKind : uint8_t {
  kLinked,      // as the linker assigned them
  kFileOffset,  // offset in the file: the file was not available during the recording
  kProcess,     // as the process saw them
  kInFunction,  // offset in the frame's function: a picture has names, but no addresses
};
constexpr AddressKind last_of(AddressKind) {
  return AddressKind::kInFunction;
}

// A mapped file: a program, a library, the kernel, the vdso.
struct Module {
  StringId path;
  StringId build_id;  // lower-case hex; empty if unknown
  AddressKind address_kind = AddressKind::kLinked;
  friend bool operator==(const Module&, const Module&) = default;
};
template <>
struct RowSchema<Module> {
  static constexpr auto with_columns(auto use) {
    return use(WICK_COLUMN(1, path), WICK_COLUMN(2, build_id), WICK_COLUMN(3, address_kind));
  }
};

// Further properties of a function, as bits.
enum FunctionFlags : uint8_t {
  kMadeUpName = 1,  // made from the module and an address, because there is no symbol
};
inline constexpr uint8_t kAllFunctionFlags = kMadeUpName;

// A function as the compiler sees it. Inlined functions are functions, too.
struct Function {
  StringId name;          // demangled
  StringId linkage_name;  // as in the symbol table; empty if it equals the name
  ModuleId module;        // none if unknown
  StringId file;          // source file; empty if unknown
  uint32_t line = 0;      // of the declaration; 0 if unknown
  uint64_t address = 0;   // start address in the module, as linked; 0 if unknown
  uint8_t flags = 0;      // FunctionFlags
  // How its code was compiled: the compiler, then ", " and its optimisation, as far as they are
  // known: "GCC 12.2.0, -O2". Unknown for functions that are only inlined.
  StringId build;
  BuildKind build_kind = BuildKind::kUnknown;
  friend bool operator==(const Function&, const Function&) = default;
};
template <>
struct RowSchema<Function> {
  static constexpr auto with_columns(auto use) {
    return use(WICK_COLUMN(1, name),
               WICK_COLUMN(2, linkage_name),
               WICK_COLUMN(3, module),
               WICK_COLUMN(4, file),
               WICK_COLUMN(5, line),
               WICK_COLUMN(6, address),
               WICK_BITS(7, flags, kAllFunctionFlags),
               WICK_COLUMN(8, build),
               WICK_COLUMN(9, build_kind));
  }
};

constexpr Mode last_of(Mode) {
  return Mode::kGuestKernel;
}

// How wick, the kernel or the processor found a frame. It says how far to trust the frame.
enum class FrameOrigin : uint8_t {
  kUnknown,       // the input does not say (folded text)
  kSampled,       // the sampled instruction itself
  kCfi,           // unwound with call frame information
  kFramePointer,  // followed a frame pointer
  kKernelChain,   // the kernel's own call chain
  kBranchStack,   // the processor's record of calls
  kStitched,      // copied from another sample of the thread
  kCode,          // found by following the code, confirmed by the call before the address
  kMissing,       // not a frame: at least one is missing here, between two that were found
  // Frames of an interpreter, from its own list of frames:
  kInterpreter,           // copied at the sample, and it agrees with the native frames
  kInterpreterLate,       // read near the sample; its location between the native frames agrees
  kInterpreterUnmatched,  // the native frames do not say where it belongs (runtimes/placement.h)
  kInterpreterAwaiting,   // waits for the callee, and is not on the thread's stack
};
constexpr FrameOrigin last_of(FrameOrigin) {
  return FrameOrigin::kInterpreterAwaiting;
}
// Whether an interpreter has reported the frame.
constexpr bool is_interpreted(FrameOrigin origin) {
  return origin >= FrameOrigin::kInterpreter;
}
// The name of a frame with the origin kMissing.
inline constexpr std::string_view kMissingFrames = "[missing frames]";

constexpr StackEnd last_of(StackEnd) {
  return StackEnd::kBadRule;
}
// Whether outer frames are missing because the stack exceeds a limit.
bool is_truncated(StackEnd ending);
// Whether outer frames are missing because wick could not follow the stack.
bool is_broken(StackEnd ending);

// Further properties of a frame, as bits.
enum FrameFlags : uint8_t {
  kInlined = 1,    // compiled into its caller, so the stack has no frame for it
  kJit = 2,        // code generated at run time
  kWaker = 4,      // belongs to the thread that woke this one
  kEvaluator = 8,  // an interpreter's code that runs the code of programs
};
inline constexpr uint8_t kAllFrameFlags = kInlined | kJit | kWaker | kEvaluator;

// The language that a frame's code was written in.
enum class Language : uint8_t {
  kUnknown,
  kAssembly,
  kC,
  kCpp,
  kRust,
  kGo,
  kFortran,
  kAda,
  kD,
  kSwift,
  kZig,
  kPython,
  kJava,
  kJavaScript,
  kRuby,
  kPhp,
  kPerl,
  kLua,
  kDotNet,
  kErlang,
};
constexpr Language last_of(Language) {
  return Language::kErlang;
}

// One location in the code: a function at an address and line. Equal locations share a frame.
struct Frame {
  FunctionId function;         // none if the address has no name
  ModuleId module;             // none if unknown
  uint64_t address = 0;        // inside the instruction, in the module, as linked; 0 if unknown
  uint32_t line = 0;           // 0 if unknown
  Mode mode = Mode::kUnknown;  // of the processor while this code ran
  FrameOrigin origin = FrameOrigin::kUnknown;
  uint8_t flags = 0;  // FrameFlags
  Language language = Language::kUnknown;
  StringId file;        // file of the line if it differs from the function's file; else empty
  uint32_t column = 0;  // column of the line; 0 if unknown
  friend bool operator==(const Frame&, const Frame&) = default;
};
template <>
struct RowSchema<Frame> {
  static constexpr auto with_columns(auto use) {
    return use(WICK_COLUMN(1, function),
               WICK_COLUMN(2, module),
               WICK_COLUMN(3, address),
               WICK_COLUMN(4, line),
               WICK_COLUMN(5, mode),
               WICK_COLUMN(6, origin),
               WICK_BITS(7, flags, kAllFrameFlags),
               WICK_COLUMN(8, language),
               WICK_COLUMN(9, file),
               WICK_COLUMN(10, column));
  }
};

// A node of the tree of stacks: the parent's stack with one more frame on top.
struct StackRow {
  StackId parent = kEmptyStack;
  FrameId frame;
};
template <>
struct RowSchema<StackRow> {
  static constexpr auto with_columns(auto use) {
    return use(WICK_COLUMN(1, parent), WICK_COLUMN(2, frame));
  }
};

}  // namespace wick

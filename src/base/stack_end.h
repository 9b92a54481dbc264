// SPDX-License-Identifier: Apache-2.0
// How a stack ended, seen from the leaf: at the outermost caller, or earlier and why. The unwinder
// finds it, and profiles store it, by these numbers (docs/format.md).
#pragma once

#include <cstdint>

namespace wick {

enum class StackEnd : uint8_t {
  kUnknown,       // the input does not say (folded text)
  kComplete,      // at the start of the program, of the thread, or of the kernel's work
  kCopyTooShort,  // truncated: the stack is longer than the copied bytes
  kTooDeep,       // truncated: more frames than the recorder's limit
  kNoModule,      // broken: an address that no mapping covers; the rule or the copy is wrong
  kNoUnwindInfo,  // broken: code without call frame information, and no frame pointer to follow
  kNoFile,        // broken: the file with the call frame information is not available
  kBadMemory,     // broken: the rule reads memory outside of the stack
  kNoProgress,    // broken: the rule does not lead up the stack
  kNoUserStack,   // broken: kernel frames only; the stack of the program is missing
  kFramePointer,  // broken: the chain of frame pointers ends before the start of the thread
  kSwitched,      // truncated: the program's runtime has switched stacks
  kUnproven,      // broken: reached a start through a module without its file; it may skip frames
  kCopyCut,     // truncated: the copy has fewer bytes than requested, and the caller is above them:
                // it ended at a page that is not in memory, or at the end of the stack
  kZeroReturn,  // broken: the return address is zero, and the code is not a known start
  kOtherStack,  // truncated: the caller ran on another stack, which was not copied
  kBadRule,     // broken: the rule needs an unknown register, or an expression failed
};

}  // namespace wick

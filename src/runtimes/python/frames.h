// SPDX-License-Identifier: Apache-2.0
// The frames in a copy of a thread's list (layout.h says what a frame is in each version).
//
// From 3.12 on, the evaluator puts a shim under the frame that it was called for:
//
//     list, innermost first     key   shim   parse   load_all   shim
//     is_entry                  yes          no      yes
//
// A shim without a frame above it is an evaluator that runs no function: it is about to return, and
// may have called another one (a destructor) before. It becomes a frame without code.
#pragma once

#include <vector>

#include "runtimes/interpreter.h"
#include "runtimes/python/layout.h"

namespace wick::python {

std::vector<InterpreterFrame> decode_frames(const Layout& layout, const CopiedFrameList& list);

// Of the part of a code object that Layout::fingerprint_begin describes. 0: it could not be copied.
uint64_t fingerprint_of(Bytes part);

}  // namespace wick::python

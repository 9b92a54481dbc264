// SPDX-License-Identifier: Apache-2.0
// Reads a code object: the name, file and lines of a function.
//
// The function may be gone, and its memory used again. So the pointers of the object are compared
// with those that the sample saw, before and after the reading.
#pragma once

#include <optional>

#include "runtimes/interpreter.h"
#include "runtimes/python/layout.h"
#include "runtimes/python/objects.h"

namespace wick::python {

std::optional<InterpretedCode> read_code(InterpreterMemory& memory,
                                         const Layout& layout,
                                         Objects& objects,
                                         const InterpreterFrame& frame);

}  // namespace wick::python

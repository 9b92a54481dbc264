// SPDX-License-Identifier: Apache-2.0
// The tables of CPython that give each instruction its line. There were three formats:
//
//     pairs      3.8, 3.9   bytes of code, then change of the line after them, as two bytes
//     ranges     3.10       bytes of code, then change of the line before them; -128: no line
//     locations  3.11       an entry for a few instructions: its form and their number in a byte,
//                           then what has changed, in a form that also has columns
//
// A table that is cut or damaged gives the lines up to there, and no line after them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "runtimes/interpreter.h"
#include "runtimes/python/layout.h"

namespace wick::python {

std::vector<InterpretedCode::Line> decode_lines(Layout::Lines kind,
                                                Bytes table,
                                                uint32_t first_line);

}  // namespace wick::python

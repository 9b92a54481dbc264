// SPDX-License-Identifier: Apache-2.0
// Where CPython's evaluator is in a file: _PyEval_EvalFrameDefault, and the parts of it that the
// compiler has moved away (_PyEval_EvalFrameDefault.cold). Stripped files export the function, but do
// not name its parts: a part is an unwind entry that the function jumps into, not to its start. In
// Debian's python3.11 that is a fifth of the evaluator, in its python3.14 all but 1,184 bytes of
// 85,607. Unwind entries also give a size where the symbol has none.
#pragma once

#include <cstdint>
#include <vector>

#include "elf/image.h"

namespace wick::python {

struct CodeRange {
  uint64_t begin = 0;  // linked addresses
  uint64_t end = 0;
};

bool is_in(const std::vector<CodeRange>& ranges, uint64_t address);

// Empty if the file does not name the evaluator.
std::vector<CodeRange> find_evaluator(const ElfImage& image);

}  // namespace wick::python

// SPDX-License-Identifier: Apache-2.0
// Where CPython's evaluator is in a file: _PyEval_EvalFrameDefault, and the parts of it that the
// compiler has moved away (_PyEval_EvalFrameDefault.cold). Stripped files export the function, but do
// not name its parts; a symbol may lack its size. Unwind entries complete both.
#pragma once

#include <cstdint>
#include <vector>

#include "elf/image.h"

namespace wick::python {

struct CodeRange {
  uint64_t begin = 0;  // linked addresses
  uint64_t end = 0;
};

// Sorted by address; empty if the file does not name the evaluator.
std::vector<CodeRange> find_evaluator(const ElfImage& image);

}  // namespace wick::python

// SPDX-License-Identifier: Apache-2.0
// CodeStarts: where functions start in a file without symbols and unwind entries, as far as its
// code and data show it.
//
// A function is called, or its address is taken. So its start is the target of a call, an address
// that an instruction loads, or a pointer in the data; symbols and unwind entries are starts, too.
// V8's built-in functions have none of these in a stripped file, but int3 fills the space before
// the next one. All of the code is decoded once, from the start of each section. Some results are
// wrong (a label whose address is taken, bytes that only look like a call), so users must confirm
// what they conclude from one. A function that is missing is found as a part of the function before
// it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "elf/image.h"

namespace wick {

class CodeStarts {
 public:
  CodeStarts() = default;
  // x86-64 only; empty for others.
  explicit CodeStarts(const ElfImage& image);

  // The last starts up to the address, at most `count`; ascending, linked addresses.
  std::span<const uint64_t> before(uint64_t address, size_t count) const;

 private:
  std::vector<uint64_t> starts_;
};

}  // namespace wick

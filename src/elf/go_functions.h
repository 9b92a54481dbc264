// SPDX-License-Identifier: Apache-2.0
// Functions of Go programs, from the table that the runtime itself reads for its stack traces.
//
// `go build -ldflags=-s`, and every distribution, leave no symbols and no DWARF in a program; Go
// has no unwind tables either. But .gopclntab is needed at run time and stays:
//
//     header      magic (which version), size of pointers, number of functions, offsets of parts
//     names       each ends with a NUL
//     functions   sorted: start of each, and offset of its description; last, the end of all
//
//     numbers     for each function: how many bytes of its frame are in use, by address
//
// A description repeats the start of its function, followed by the offset of its name, and later by
// the offset of its numbers. Numbers are pairs of differences, of the value and of the address, as
// variable-length integers.
//
// Go 1.2, 1.16, 1.18 and 1.20 changed the layout; 1.20's is still current. Older ones have
// addresses, newer ones offsets from the start of the text.
#pragma once

#include <cstdint>
#include <vector>

#include "elf/image.h"

namespace wick {

struct GoFunction {
  uint64_t begin = 0;  // linked addresses
  uint64_t end = 0;
  const char* name = "";  // in the file's bytes, ends with a NUL
};

// A range of addresses in which the frame of a function has one size.
struct GoFrameRow {
  enum class Kind : uint8_t {
    kSized,
    kSwitches,   // a function of the runtime that switches stacks
    kLeaves,     // the same, and the goroutine that it has left may run elsewhere by now
    kOutermost,  // the function has no caller
  };
  uint64_t begin = 0;  // linked addresses
  uint64_t end = 0;
  uint32_t size = 0;  // bytes between the stack pointer and the return address
  Kind kind = Kind::kSized;
};

// By address. Empty if the file is not a Go program, or if its table is damaged or of another
// version.
std::vector<GoFunction> read_go_functions(const ElfImage& image);
// The same for frames. Rows of a function whose numbers are damaged are missing.
std::vector<GoFrameRow> read_go_frames(const ElfImage& image);

}  // namespace wick

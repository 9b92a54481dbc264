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
// A description repeats the start of its function, followed by the offset of its name.
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

// By address. Empty if the file is not a Go program, or if its table is damaged or of another
// version.
std::vector<GoFunction> read_go_functions(const ElfImage& image);

}  // namespace wick

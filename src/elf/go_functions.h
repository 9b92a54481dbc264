// Functions of Go programs, from the table that the runtime itself reads for its stack traces.
//
// `go build -ldflags=-s`, and every distribution, leave no symbols and no DWARF in a program; Go
// has no unwind tables either. But .gopclntab is needed at run time and stays:
//
//     header      magic (which version), size of pointers, number of functions, offsets of parts
//     names       each ends with a NUL
//     functions   sorted: where each begins, and where its description stands; last, where all end
//
// A description says again where its function begins, then where its name stands.
//
// Go 1.2, 1.16, 1.18 and 1.20 changed the layout; 1.20's holds since. Older ones tell addresses,
// newer ones distances from the beginning of the text.
#pragma once

#include <cstdint>
#include <vector>

#include "elf/image.h"

namespace wick {

struct GoFunction {
  uint64_t begin = 0;  // linked addresses
  uint64_t end = 0;
  const char* name = "";  // in the file's bytes, with a NUL behind it
};

// By address. Empty when the file is none of Go's, or its table is damaged or of another version.
std::vector<GoFunction> read_go_functions(const ElfImage& image);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// The kind of code in a mapping, and the path of its module in the profile.
#pragma once

#include <cstdint>
#include <string>

#include "stream/event.h"

namespace wick {

enum class LoadedKind : uint8_t {
  kFile,
  kVdso,          // has no file: taken from this process, if it is the same
  kKernel,        // the kernel's text
  kKernelModule,  // loaded into the kernel
  kKernelSymbol,  // code that the kernel generated, with its own name
  kGenerated,     // code that the program generated
  kGuest,         // of a virtual machine, whose files are not available
  kSpecial,       // [heap], [stack], [vsyscall]: never unwound; the path is the name
};

LoadedKind loaded_kind_of(const MapEvent& map);

// Memory that has a name but no directory: run-time compilers write their code there, and programs
// that unpack another program execute it from there.
bool is_memory_file(const MapEvent& map);

// "[kernel.kallsyms]_text" names the symbol at the start of the mapping; all of them are one
// module.
std::string shown_path(const MapEvent& map, LoadedKind kind);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// What kind of code a mapping shows, and the path under which the profile has it.
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
  kKernelSymbol,  // code the kernel made, with a name of its own
  kGenerated,     // memory that a program filled with code
  kGuest,         // of a virtual machine, whose files are missing
  kSpecial,       // [heap], [stack], [vsyscall]: never unwound, named as it is
};

LoadedKind loaded_kind_of(const MapEvent& map);

// "[kernel.kallsyms]_text" names the symbol that the mapping starts at; the module is one.
std::string shown_path(const MapEvent& map, LoadedKind kind);

}  // namespace wick

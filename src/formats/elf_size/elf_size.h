// SPDX-License-Identifier: Apache-2.0
// A program or library as a profile of its bytes: the section, namespace, type and function of each
// byte. Every byte of the file is counted once:
//
//     .text;core;core::fmt;core::fmt::write    a symbol, under the path of its demangled name
//     .text;[no symbol]                        bytes of a mapped section that no symbol covers
//     .comment                                 a section that is never mapped has no symbols
//     [headers and padding]                    bytes outside all sections
//
// Debug information is an event of its own (kDebugEvent): it is never loaded, and there is often more
// of it than of everything else.
//
// If symbols overlap, a byte belongs to the one that starts first; of equal ones, to the one with
// the best name. Sections without bytes in the file (.bss) do not count. symbol_path.h describes
// the paths of names.
#pragma once

#include <span>
#include <string_view>

#include "formats/formats.h"

namespace wick::elf_size {

// The event whose weights are the bytes of debug information; absent if there is none.
inline constexpr std::string_view kDebugEvent = "debug";

bool sniff(Bytes head);
Result<Profile> read(Input& input, const FlagValues& flags);

}  // namespace wick::elf_size

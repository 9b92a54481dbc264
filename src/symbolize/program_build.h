// SPDX-License-Identifier: Apache-2.0
// The build of a program without a profile, for verbs that only run it: that of the unit with its
// main(), which in Rust and Go is not the C function of this name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "symbolize/code_build.h"
#include "symbolize/module_files.h"

namespace wick {

// Unknown if the file is not a program, or has no symbol main or no debug information for it.
CodeBuild build_of_program(const FileSearch& search, const std::string& path);

// ---- Parts, for tests ----

// What the symbol of a function says: the larger, the surer it is that the program's own code
// starts there. The main() of Rust and Go programs is the runtime's.
enum class MainKind : uint8_t { kNone, kOfC, kOfLanguage };
MainKind main_kind(std::string_view symbol);

}  // namespace wick

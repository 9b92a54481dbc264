// SPDX-License-Identifier: Apache-2.0
// How code was compiled, as far as its debug information proves it.
//
//     gcc      records its options: no -O, or -O0, means that the code is not optimised
//     Go       records -N
//     clang,   record options only on request. Without optimisation every variable is in memory
//     rustc    all the time; with it, most are in registers. At least kLeastVariables decide
//     rustc    without variables in the debug information: Cargo's directory of the debug profile
//
// Anything else is unknown, and the text then names the compiler only. Per-function attributes
// (optimize, optnone) are not recorded anywhere, so they do not count.
#pragma once

#include <string>
#include <string_view>

#include "base/build_kind.h"
#include "elf/dwarf_info.h"
#include "elf/image.h"

namespace wick {

struct CodeBuild {
  std::string text;  // "GCC 12.2.0, -O0", "clang 14.0.6", or empty
  BuildKind kind = BuildKind::kUnknown;
};

// `path` is the path of the module.
CodeBuild code_build(const UnitBuild& unit, std::string_view path);

// Whether this is a CPython with Py_DEBUG, or a library of one: it defines the function that
// reports a negative reference count, which other builds do not have.
bool is_checked_python(const ElfImage& image, std::string_view path);
// The build of a unit in such a file; `build` is empty for code without debug information.
CodeBuild with_python_checks(CodeBuild build);

}  // namespace wick

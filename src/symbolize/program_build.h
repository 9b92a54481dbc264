// SPDX-License-Identifier: Apache-2.0
// The build of a program without a profile, for verbs that only run it: that of its main().
#pragma once

#include <string>

#include "symbolize/code_build.h"
#include "symbolize/module_files.h"

namespace wick {

// Unknown if the file is not a program, or has no symbol main or no debug information for it.
CodeBuild build_of_program(const FileSearch& search, const std::string& path);

}  // namespace wick

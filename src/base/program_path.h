// SPDX-License-Identifier: Apache-2.0
// Finds a program by its name, as execvp does: a name with a slash is a path; any other name is
// searched in the directories of PATH, where an empty entry means the current directory.
#pragma once

#include <string>
#include <string_view>

namespace wick {

// The first file of that name that may be executed; empty if there is none. Directories do not
// count.
std::string program_path(std::string_view name);

}  // namespace wick

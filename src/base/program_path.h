// Where a program stands that is asked for by its name, as execvp finds it: a name with a slash is
// a path, any other is looked for in the directories of PATH, of which an empty one is the current.
#pragma once

#include <string>
#include <string_view>

#include <unistd.h>

namespace wick {

// The first file of that name that may be used so (X_OK: run; F_OK: it is there); empty when there
// is none. Directories are no programs.
std::string program_path(std::string_view name, int use = X_OK);

}  // namespace wick

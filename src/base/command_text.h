// SPDX-License-Identifier: Apache-2.0
// The words of a command as one line for people.
#pragma once

#include <string>
#include <vector>

namespace wick {

// Separated by blanks.
std::string command_text(const std::vector<std::string>& words);
// The same with quotes where a shell needs them, so that the line can be run.
std::string shell_text(const std::vector<std::string>& words);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// A program run to its end, in a directory: builds, git. It has no input, and what it prints goes
// to stderr, because stdout is for the result.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace wick {

// Its status as a shell gives it: 127 when it could not be run, 128 + n for a signal.
int run_and_wait(const std::vector<std::string>& command, const std::string& directory = "");

// The same for a line of sh.
int run_shell_line(const std::string& line, const std::string& directory = "");

// The same, of a program whose standard output is taken; it has wick's input.
int run_for_output(const std::vector<std::string>& command, std::string& output);

// What it prints, without the line's end; nothing but an Error when it fails.
Result<std::string> output_of(const std::vector<std::string>& command);

}  // namespace wick

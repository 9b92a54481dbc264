// SPDX-License-Identifier: Apache-2.0
// Runs a program to its end in a directory: builds, git. It has no input, and its output goes to
// stderr, because stdout is for the result. If wick is killed, the program and all that it started
// end, too.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace wick {

// Returns its status as a shell reports it: 127 if it could not be run, 128 + n for a signal.
int run_and_wait(const std::vector<std::string>& command, const std::string& directory = "");

// The same for a shell command.
int run_shell_line(const std::string& line, const std::string& directory = "");

// The same, but returns the standard output of the program; it reads wick's input.
int run_for_output(const std::vector<std::string>& command, std::string& output);

// The standard output of the program without the last newline; an Error if it fails.
Result<std::string> output_of(const std::vector<std::string>& command);

}  // namespace wick

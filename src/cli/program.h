// SPDX-License-Identifier: Apache-2.0
// wick as a function, so that tests can call it without a process.
//
//     1. Find the verb, or print help or the version.
//     2. Translate perf's flags and parse the words.
//     3. Run the verb.
//
// It prints an Error to stderr as "wick: SENTENCE" and returns its status.
#pragma once

#include <string>
#include <vector>

namespace wick {

// Runs one command line, without the program's name, and returns the exit status.
int run_program(const std::vector<std::string>& arguments);

}  // namespace wick

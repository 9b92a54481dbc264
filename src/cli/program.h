// SPDX-License-Identifier: Apache-2.0
// The program, without main: so that tests can call it.
#pragma once

#include <string>
#include <vector>

namespace wick {

// Runs one command line (without the program's name) and gives the exit status.
int run_program(const std::vector<std::string>& arguments);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Parses the words of a command line into an Invocation.
//
// CLI11 splits the words. It throws, so only parse.cc includes it: callers get an Error with a
// sentence and never an exception.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace wick {

Result<Invocation> parse(const Command& command, const std::vector<std::string>& arguments);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Words of a command line to an Invocation. CLI11 splits them (it throws, so it stays inside
// parse.cc); the sentences about what is wrong are ours.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace wick {

Result<Invocation> parse(const Command& command, const std::vector<std::string>& arguments);

}  // namespace wick

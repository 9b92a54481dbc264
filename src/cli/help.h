// The text of --help, made from the tables of commands and flags.
#pragma once

#include <string>

#include "cli/command.h"

namespace wick {

std::string general_help();
std::string command_help(const Command& command);

}  // namespace wick

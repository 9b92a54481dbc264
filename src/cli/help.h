// SPDX-License-Identifier: Apache-2.0
// The text of --help, made from the tables of commands, formats and flags.
#pragma once

#include <string>

#include "cli/command.h"
#include "formats/formats.h"

namespace wick {

std::string general_help();
std::string command_help(const Command& command);
std::string format_help(const Format& format);
// The flags of all formats: the end of the help of `wick formats`.
std::string format_flags_help();

}  // namespace wick

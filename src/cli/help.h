// SPDX-License-Identifier: Apache-2.0
// The text of --help and `wick help`: for all verbs, one verb or one format.
//
// The text comes from the tables of verbs, formats and flags, so it lists exactly the flags that
// wick accepts.
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

// SPDX-License-Identifier: Apache-2.0
// The lines of --help for rows of flags (base/flags.h), for a terminal of 80 columns.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/flags.h"

namespace wick {

// Breaks `text` at blanks (and after '|') so that it fits into the columns after `indent`.
std::string wrapped_help(std::string_view text, size_t indent);

// A heading with its flags below; empty if there are no flags.
std::string flag_block(std::string_view heading, std::span<const Flag> flags);

}  // namespace wick

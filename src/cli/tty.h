// SPDX-License-Identifier: Apache-2.0
// What the terminal is and wants: the only place that asks the environment about it.
#pragma once

#include <string_view>

#include <unistd.h>

#include "base/flags.h"

namespace wick {

bool stdout_is_terminal();
bool stderr_is_terminal();
// Columns of the terminal that a descriptor is, 100 when it does not say.
size_t terminal_width(int descriptor = STDOUT_FILENO);

// Chooses what a view of text leaves to the environment: colour (NO_COLOR, CLICOLOR_FORCE, dumb
// terminals) and width. `to_terminal` says whether the text goes to a terminal.
void choose_terminal_flags(FlagValues& flags, bool to_terminal);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// The properties of the terminal: whether it exists, its width, and whether it shows colours.
//
// Only this file asks the environment for them, so all verbs behave in the same way.
#pragma once

#include <string>

#include <unistd.h>

#include "base/flags.h"

namespace wick {

bool stdout_is_terminal();
bool stderr_is_terminal();
// Whether standard output was a terminal that has vanished: its window or its connection was closed.
bool stdout_has_hung_up();
// Columns of the terminal at a descriptor; 100 if unknown.
size_t terminal_width(int descriptor = STDOUT_FILENO);

// Prints "wick: " and a sentence on stderr. On a terminal it is broken at blanks, not at the edge.
// The sentence must be escaped already.
void say(const std::string& sentence);

// Chooses colour (NO_COLOR, CLICOLOR_FORCE, dumb terminals) and width for views that print text.
// `to_terminal`: whether the text goes to a terminal.
void choose_terminal_flags(FlagValues& flags, bool to_terminal);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// A report on a terminal: cautions, a title, tables with aligned columns, then loss and notes.
//
// Numbers are right-aligned. Names use the remaining width and lose their middle if they do not
// fit. If a line is still too narrow, the least important columns are dropped. Colour marks hot
// rows. The view does not ask the terminal: cli says whether to use colour, and how wide lines are.
#pragma once

#include "views/views.h"

namespace wick {

std::span<const Flag> terminal_flags();
Result<> write_terminal(const Report& report, const FlagValues& flags, Output& out);

}  // namespace wick

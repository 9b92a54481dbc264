// SPDX-License-Identifier: Apache-2.0
// A report for people at a terminal: a title, aligned columns, then what was lost and what to know.
//
// Numbers are right-aligned, names take what is left of the width and are cut in the middle when
// they do not fit; columns that matter least go first when even that is too narrow. Colour marks
// what is hot and is used only when asked for: the cli folder knows whether there is a terminal.
#pragma once

#include "views/views.h"

namespace wick {

std::span<const Flag> terminal_flags();
Result<> write_terminal(const Report& report, const FlagValues& flags, Output& out);

}  // namespace wick

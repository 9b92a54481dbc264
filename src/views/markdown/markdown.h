// SPDX-License-Identifier: Apache-2.0
// A report as a page of Markdown, for a project's docs: heading, tables, what was lost, notes.
// Names are text in it, never markup. Trees are indented by dots, since Markdown eats blanks.
#pragma once

#include "views/views.h"

namespace wick {

Result<> write_markdown(const Report& report, const FlagValues& flags, Output& out);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// A report as a page of Markdown, for a project's docs: heading, tables, loss and notes.
//
// Names appear as text and never become markup. Dots indent trees, because Markdown removes blanks.
#pragma once

#include "views/views.h"

namespace wick {

Result<> write_markdown(const Report& report, const FlagValues& flags, Output& out);

}  // namespace wick

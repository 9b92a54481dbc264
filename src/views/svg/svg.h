// SPDX-License-Identifier: Apache-2.0
// The flame graph view: a report's call tree as one self-contained, interactive SVG file.
//
// Two forms share the layout (layout.h) and the script (flame.js): wick's own (own_form.h) and,
// with
// --flamegraph-pl, the exact geometry and colours of flamegraph.pl (perl_form.h) for people and
// tools that know that. The same report and flags give the same bytes. Names are foreign: they
// reach the file only through xml_text, as text nodes, and the script never turns them into markup.
#pragma once

#include <span>

#include "base/flags.h"
#include "base/output.h"
#include "base/result.h"
#include "report/report.h"

namespace wick {

std::span<const Flag> svg_flags();

// Draws the first tree of the report.
Result<> write_svg(const Report& report, const FlagValues& flags, Output& out);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// The view of pictures: a report's call tree as one self-contained, interactive SVG file, or its
// tracks or its graph as a static one.
//
//     own_form.h     wick's own form of a flame graph
//     tracks_form.h  tracks on an axis of time
//     graph_form.h   a graph in layers
//     perl_form.h    --flamegraph-pl: the exact geometry and colours of flamegraph.pl, for users
//                    and tools that expect them
//
// Both forms of a flame graph use the same layout (layout.h) and the same script (flame.js). The
// same report and flags give the same bytes. Names are untrusted: they enter the file only through
// xml_text, as text nodes, and the script never turns them into markup.
#pragma once

#include <span>

#include "base/flags.h"
#include "base/output.h"
#include "base/result.h"
#include "report/report.h"

namespace wick {

std::span<const Flag> svg_flags();

// Draws the first tree of the report, or tracks or a series that come before it, or its graph if it
// has neither. A tree is drawn as a flame graph: a listing of several trees below one root, callers
// and callees from their function on.
Result<> write_svg(const Report& report, const FlagValues& flags, Output& out);

}  // namespace wick

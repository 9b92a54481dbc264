// SPDX-License-Identifier: Apache-2.0
// wick's own flame graph, and callers and callees of one function as two such graphs without
// script: callers grow upwards from the function, callees downwards.
//
//     #frames   one <g> for each row, root first, with the starts and widths of its frames as two
//               lists; in it one <g> for each frame: title (the tooltip, and the name for the
//               script), rectangle, label
//     #foot     legend and notes
//     #head     title and two lines of details; last, because it remains visible over the frames
//     style, script
//
// Without the script it is a complete picture of the given width, with titles as tooltips. The
// script uses the lists and the same rules to lay the picture out for the window, and adds the
// controls. Pixel positions are rounded; the lists are exact.
//
// Invariant: if the script lays the picture out at its original width, nothing moves.
#pragma once

#include "base/output.h"
#include "report/report.h"
#include "views/svg/flame_tree.h"
#include "views/svg/options.h"

namespace wick {

void write_own_form(const Report& report,
                    const FlameTree& tree,
                    const SvgOptions& options,
                    Output& out);

// Both trees have the function as their root.
void write_sandwich_form(const Report& report,
                         const FlameTree& callers,
                         const FlameTree& callees,
                         const SvgOptions& options,
                         Output& out);

}  // namespace wick

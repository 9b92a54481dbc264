// SPDX-License-Identifier: Apache-2.0
// wick's own flame graph.
//
//     #frames   one <g> a row, root first, with the start and width of its frames as two lists
//               in it one <g> a frame: title (the tooltip, and the name for the script),
//               rectangle, label
//     #foot     legend and notes
//     #head     title and two lines of details; last, because it stays in view over the frames
//     style, script
//
// Without script it is a complete picture of the given width with titles as tooltips. The script
// lays it out again for the window from the lists, by the same rules (pixel positions are rounded;
// the lists are not), and adds the controls.
//
// Invariant: laid out by the script at the picture's own width, nothing moves.
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

}  // namespace wick

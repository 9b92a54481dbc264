// SPDX-License-Identifier: Apache-2.0
// A flame graph with the frames of flamegraph.pl: its geometry, its colours, its titles, its ids.
//
//     H  = (deepest drawn row + 1) * height + 70, and 24 more with a subtitle
//     x  = 10 + start * (width - 20) / total               rounded to a tenth, as its right edge is
//     y  = H - 34 - (depth + 1) * height + 1, or 36 + depth * height with the root on top
//     label: as many characters as fit, 7.08 pixels each, from 3 on
//
// A parent's own weight is to the left of its children, as in sorted lines. flamegraph.pl drops
// narrow frames and does not merge them, so this form does the same and only says how many frames
// are missing. wick's own lines (loss and notes) are below H, so the frames are where other tools
// expect them.
#pragma once

#include "base/output.h"
#include "report/report.h"
#include "views/svg/flame_tree.h"
#include "views/svg/options.h"

namespace wick {

void write_perl_form(const Report& report,
                     const FlameTree& tree,
                     const SvgOptions& options,
                     Output& out);

}  // namespace wick

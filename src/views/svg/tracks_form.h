// SPDX-License-Identifier: Apache-2.0
// Tracks as a picture without script, below each other on one axis of time:
//
//     head        title and details, as in the flame graph
//     axis        times and vertical lines through all tracks
//     tracks      for each: its title, then an area or lines with their band and gaps; spans in rows
//                 by depth; marks as ticks
//     arrows      curves from track to track, over everything else
//     foot        legend and notes
//
// Every shape has a title as its tooltip: values, names, times and stacks. What is narrower than a
// pixel is joined, so the size of the picture depends on its width and the number of tracks. What
// is not drawn is counted in a note.
#pragma once

#include "base/output.h"
#include "report/report.h"
#include "views/svg/options.h"

namespace wick {

void write_tracks_form(const Report& report,
                       const Tracks& tracks,
                       const SvgOptions& options,
                       Output& out);

}  // namespace wick

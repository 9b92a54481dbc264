// SPDX-License-Identifier: Apache-2.0
// A series as a track of a picture: its lines with their bands, or the area below a single line, its
// gaps, its scale, and transparent pieces that have the values as tooltips.
#pragma once

#include <cstdint>
#include <string>

#include "views/svg/track_canvas.h"

namespace wick {

// One line without a band is an area.
bool is_with_lines(const Series& series);

// Returns whether the series has gaps inside the axis.
bool append_series(const TrackCanvas& canvas,
                   const Tracks& tracks,
                   const Series& series,
                   const ValueScale& scale,
                   uint32_t indent,
                   std::string& text);

}  // namespace wick

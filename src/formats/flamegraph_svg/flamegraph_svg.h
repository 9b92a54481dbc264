// SPDX-License-Identifier: Apache-2.0
// Reads flame graph pictures (SVG) back into profiles, so that old pictures can be compared.
//
//     <g><title>read (12 samples, 3.40%)</title><rect x="10.0" y="85" width="40.1" .../></g>
//
// A frame is an element with a title and a rectangle. The title has the name and the total cost of
// the frame, including its callees. The rectangle shows the caller: a frame is directly above its
// caller and within its width. The own cost is the part of the width that has no frame on top.
//
//     flamegraph.pl   as above, pixels to a tenth; "; +1.23%" at the end of a title is the change
//                     in a differential picture. Before 2013 the title was in
//                     onmouseover="s('...')".
//     inferno         the same, with the exact numbers in fg:x and fg:w of the rectangle
//     wick            exact numbers of a whole row in data-s and data-w; own cost, module and kind
//                     on the second line of a title
//
// Frames are in any order in the file. Rows are the distinct y values; the root's row is the lowest
// one, or the highest in an icicle. The root "all" is the total, not a frame. A picture that was
// saved while zoomed in has its original geometry in attributes (_orig_x, fg:orig_x) or in the
// exact numbers.
//
// A notice reports information that a picture does not have: frames too narrow to be drawn (they
// count as their caller's own cost), frames without a caller, rounded titles.
#pragma once

#include <span>

#include "formats/formats.h"

namespace wick::flamegraph_svg {

bool sniff(Bytes head);
std::span<const Flag> read_flags();
Result<Profile> read(Input& input, const FlagValues& flags);

}  // namespace wick::flamegraph_svg

// Flame graph pictures (SVG) read back into profiles, so that old pictures can be compared.
//
//     <g><title>read (12 samples, 3.40%)</title><rect x="10.0" y="85" width="40.1" .../></g>
//
// A frame is an element with a title and a rectangle. The title says the name and what the frame
// cost together with all that it called; the rectangle says who called it: a frame stands on its
// caller, within its width. Own cost is what the frames on top leave of the width.
//
//     flamegraph.pl   as above, pixels to a tenth; "; +1.23%" at the end of a title is the change
//                     in a differential picture. Before 2013 the title was in
//                     onmouseover="s('...')".
//     inferno         the same with fg:x and fg:w, the exact numbers, beside the rectangle's
//     wick            exact numbers of a whole row in data-s and data-w; own cost, module and kind
//                     on the second line of a title
//
// Frames stand in any order in the file. Rows are the distinct y; the root's row is the lowest one,
// or the highest in an icicle. The root "all" is the total, no frame. A picture that was saved
// while zoomed in keeps its first geometry in attributes (_orig_x, fg:orig_x) or in the exact
// numbers.
//
// What cannot be known from a picture is told as a notice: frames too narrow to be drawn (they
// count as their caller's own), frames whose caller is missing, titles that were rounded.
#pragma once

#include <span>

#include "formats/formats.h"

namespace wick::flamegraph_svg {

bool sniff(Bytes head);
std::span<const Flag> read_flags();
Result<Profile> read(Input& input, const FlagValues& flags);

}  // namespace wick::flamegraph_svg

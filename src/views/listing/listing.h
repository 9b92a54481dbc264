// SPDX-License-Identifier: Apache-2.0
// Code for people at a terminal: a head, the hottest lines, what was inlined, and the instructions
// with the source line they are from, each with its heat:
//
//     here %  samples
//                      work.cc:31        sum += table[*at];
//      12.50       25  ┌─▸ 11a4  movzbl (%rdi), %eax
//       0.50        1  └── 11a8  jne    0x11a4
//
// `here` is the part of the function's own samples. Wide lines have the share of all samples with
// its interval, too, and the total with what an instruction called. Long stretches that are cold
// are folded. Colour by heat; the cli folder knows whether there is a terminal.
#pragma once

#include "views/views.h"

namespace wick {

std::span<const Flag> listing_flags();
Result<> write_listing(const Report& report, const FlagValues& flags, Output& out);

}  // namespace wick

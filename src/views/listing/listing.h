// SPDX-License-Identifier: Apache-2.0
// Code on a terminal: a head, the hottest lines, the inlined functions, and the instructions below
// their source lines, each with its heat:
//
//     func %  samples
//                      work.cc:31        sum += table[*at];
//      12.50       25  ┌─▸ 11a4  movzbl (%rdi), %eax
//       0.50        1  └── 11a8  jne    0x11a4
//
// `here` is the part of the function's own samples. Wide lines also have the share of all samples
// with its interval, and the total, which includes the functions that an instruction called. The
// view folds long ranges without samples and colours rows by heat. It does not ask the terminal:
// cli says whether to use colour, and how wide lines are.
#pragma once

#include "views/views.h"

namespace wick {

std::span<const Flag> listing_flags();
Result<> write_listing(const Report& report, const FlagValues& flags, Output& out);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// The names in pictures and folded stacks that redox-kprofiling made, as recordings have them.
//
// That program converts samples of the Redox kernel for other tools, and its output is all that is
// left of many old recordings. Depending on its options it writes a frame as
//
//     [kernel::context::switch::switch]          the function
//     [kernel::context::switch::switch+1929]     the function and an offset (option o); the offset
//                                                is decimal, in older versions hexadecimal
//     both, the second on top of the first       (option x)
//     [[kernel]]                                 an address in no function
//
// below a root called "kernel", which is the process. A recording of the same samples has the
// function's name alone, with an address. So that the two can be compared, with_plain_names()
// removes the brackets and the root, joins the two frames of option x, and stores offsets as
// addresses (AddressKind::kInFunction). The same names in the form of perf script have addresses of
// their own, which remain. Other profiles do not change.
#pragma once

#include "profile/profile.h"

namespace wick::kprofiling {

Profile with_plain_names(Profile profile);

}  // namespace wick::kprofiling

// SPDX-License-Identifier: Apache-2.0
// Adds the rows that the page needs to show interpreted programs, so that its script needs no rules
// for them:
//
//     a module for each source file of Python functions: names.h calls it their module
//     the frame that represents stacks without functions (profile/shown_frames.h)
#pragma once

#include "profile/profile.h"

namespace wick {

void add_page_frames(Profile& merged);

}  // namespace wick

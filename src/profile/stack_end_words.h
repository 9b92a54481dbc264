// SPDX-License-Identifier: Apache-2.0
// What people read about the end of a stack, besides its name (names.h): its class, and what would
// make the next recording better. `wick quality` and the page show the same words.
#pragma once

#include <string_view>

#include "profile/code_tables.h"

namespace wick {

// "complete", "truncated", "broken" or "unknown".
std::string_view stack_end_class(Ending ending);

// Empty for complete stacks.
std::string_view stack_end_advice(Ending ending);

}  // namespace wick

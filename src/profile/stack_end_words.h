// SPDX-License-Identifier: Apache-2.0
// Texts about the end of a stack, in addition to its name (names.h): its class, and advice for a
// better recording. `wick quality` and the page show the same texts.
#pragma once

#include <string_view>

#include "profile/code_tables.h"

namespace wick {

// "complete", "truncated", "broken" or "unknown".
std::string_view stack_end_class(Ending ending);

// Empty for complete stacks.
std::string_view stack_end_advice(Ending ending);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Texts about the end of a stack, in addition to its name (names.h): its class, and advice for a
// better recording. `wick quality` and the page show the same texts.
#pragma once

#include <cstdint>
#include <string_view>

#include "profile/code_tables.h"

namespace wick {

// "complete", "truncated", "broken" or "unknown".
std::string_view stack_end_class(Ending ending);

// Empty for complete stacks. Generated code needs other advice than that of a file.
enum class EndsIn : uint8_t { kFile, kGeneratedCode };
std::string_view stack_end_advice(Ending ending, EndsIn code = EndsIn::kFile);
// By the module of the outermost frame: generated code has the name of a perf map.
EndsIn ends_in(std::string_view module_name);

}  // namespace wick

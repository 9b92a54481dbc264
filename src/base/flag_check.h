// SPDX-License-Identifier: Apache-2.0
// Checks the value that a user gave for a flag against the kind of its row: a number, or one of the
// choices.
#pragma once

#include <string_view>

#include "base/flags.h"
#include "base/result.h"

namespace wick {

// A usage Error says what the flag takes.
Result<> check_flag_value(const Flag& flag, std::string_view value);

}  // namespace wick

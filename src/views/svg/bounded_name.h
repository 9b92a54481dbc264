// SPDX-License-Identifier: Apache-2.0
// Names as pictures contain them: complete, so that a script can shorten them again, but never
// extremely long.
#pragma once

#include <string>
#include <string_view>

namespace wick {

// The name for a title: complete, or without its middle if it is extremely long.
std::string bounded_name(std::string_view name);

}  // namespace wick

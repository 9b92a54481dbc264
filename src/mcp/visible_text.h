// SPDX-License-Identifier: Apache-2.0
// Names in a profile come from other programs, and an assistant reads them next to its own
// instructions. So the text of answers hides nothing: control characters, direction overrides and
// characters without width are visible escapes. <, > and & stay themselves, because names in C++
// and Rust are full of them; the text is not for pages.
#pragma once

#include <string>
#include <string_view>

namespace wick::mcp {

// The content of a JSON string, without its quotes.
std::string visible_json_text(std::string_view text);

}  // namespace wick::mcp

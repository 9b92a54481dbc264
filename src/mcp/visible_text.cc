// SPDX-License-Identifier: Apache-2.0
#include "mcp/visible_text.h"

#include "base/escape.h"

namespace wick::mcp {

std::string visible_json_text(std::string_view text) {
  std::string result;
  for (char c : terminal_text(text)) {
    if (c == '"' || c == '\\') {
      result += '\\';
    }
    result += c;
  }
  return result;
}

}  // namespace wick::mcp

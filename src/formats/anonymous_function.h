// SPDX-License-Identifier: Apache-2.0
// The name of a function of JavaScript that has none, by its position: "(anonymous a.js:3)".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace wick {

// `line` is 0 if it is unknown.
inline std::string anonymous_function(std::string_view url, uint32_t line) {
  std::string_view file = url.substr(url.find_last_of('/') + 1);
  if (file.empty()) {
    return "(anonymous)";
  }
  return line == 0 ? fmt::format("(anonymous {})", file)
                   : fmt::format("(anonymous {}:{})", file, line);
}

}  // namespace wick

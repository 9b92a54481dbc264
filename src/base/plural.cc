// SPDX-License-Identifier: Apache-2.0
#include "base/plural.h"

#include <fmt/format.h>

namespace wick {

std::string singular(std::string_view plural) {
  constexpr size_t kLongestSymbol = 3;
  bool stays = plural.size() <= kLongestSymbol || plural == "series" || !plural.ends_with('s') ||
               plural.ends_with("/s");
  if (stays) {
    return std::string(plural);
  }
  if (plural.ends_with("ries")) {
    return fmt::format("{}y", plural.substr(0, plural.size() - 3));
  }
  bool has_extra_e = plural.ends_with("sses") || plural.ends_with("ches");
  return std::string(plural.substr(0, plural.size() - (has_extra_e ? 2 : 1)));
}

}  // namespace wick

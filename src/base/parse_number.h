// Numbers out of text: the whole text or nothing.
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <type_traits>

namespace wick {

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number = 0;
  const char* begin = text.data();
  const char* end = begin + text.size();
  auto [rest, error] = std::from_chars(begin, end, number);
  if (error != std::errc() || rest != end) {
    return std::nullopt;
  }
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(number)) {
      return std::nullopt;  // "nan" and "inf" are words here
    }
  }
  return number;
}

}  // namespace wick

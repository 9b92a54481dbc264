// SPDX-License-Identifier: Apache-2.0
// Parses numbers. The whole text must be a number.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

namespace wick {

// Digits only, without 0x.
inline std::optional<uint64_t> parse_hex(std::string_view text) {
  uint64_t number = 0;
  const char* end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, number, 16);
  return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

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
      return std::nullopt;  // "nan" and "inf" are not accepted
    }
  }
  return number;
}

}  // namespace wick

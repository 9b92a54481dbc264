// SPDX-License-Identifier: Apache-2.0
// Writes numbers of large JSON tables, without a memory allocation for each.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>

#include "base/json_writer.h"

namespace wick {

inline void write_integer(JsonWriter& json, int64_t number) {
  std::array<char, 24> text;
  char* end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  json.raw({text.data(), static_cast<size_t>(end - text.data())});
}

inline constexpr size_t kMostDecimalBytes = 48;

// Writes number / unit and returns the end: "1.5" for 1500 in units of 1000. Exact if the unit is a
// power of ten; else to 18 digits.
inline char* print_decimal(char* at, int64_t number, uint32_t unit) {
  uint64_t size = number < 0 ? -static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
  if (number < 0) {
    *at++ = '-';
  }
  at = std::to_chars(at, at + 20, size / unit).ptr;
  uint64_t rest = size % unit;
  if (rest != 0) {
    *at++ = '.';
  }
  for (int digits = 18; rest != 0 && digits > 0; --digits) {
    *at++ = static_cast<char>('0' + rest * 10 / unit);
    rest = rest * 10 % unit;
  }
  return at;
}

inline void write_decimal(JsonWriter& json, int64_t number, uint32_t unit) {
  std::array<char, kMostDecimalBytes> text;
  char* end = print_decimal(text.data(), number, unit);
  json.raw({text.data(), static_cast<size_t>(end - text.data())});
}

}  // namespace wick

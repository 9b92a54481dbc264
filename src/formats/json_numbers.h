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

// number / unit, exactly; the unit is a power of ten. "1.5" for 1500 in units of 1000.
inline void write_decimal(JsonWriter& json, int64_t number, uint64_t unit) {
  std::array<char, 48> text;
  char* at = text.data();
  uint64_t size = number < 0 ? -static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
  if (number < 0) {
    *at++ = '-';
  }
  at = std::to_chars(at, text.data() + text.size(), size / unit).ptr;
  uint64_t rest = size % unit;
  if (rest != 0) {
    *at++ = '.';
  }
  for (uint64_t digit = unit / 10; rest != 0; digit /= 10) {
    *at++ = static_cast<char>('0' + rest / digit);
    rest %= digit;
  }
  json.raw({text.data(), static_cast<size_t>(at - text.data())});
}

}  // namespace wick

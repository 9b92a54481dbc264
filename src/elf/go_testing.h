// SPDX-License-Identifier: Apache-2.0
// For tests: writes the table of functions of a Go program, .gopclntab.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace wick::testing {

// Two functions as in Go 1.20, with numbers: the first has 0 bytes for 4 bytes of code and 24 for
// the rest; the second has the flags.
inline std::string go_table_with_frames(uint64_t text, uint8_t flags, std::string_view second) {
  constexpr uint64_t kHeader = 8 + 8 * 8;
  std::string names = std::string("main.main\0", 10) + std::string(second) + '\0';
  names.resize(32, '\0');
  std::string numbers("\x02\x04\x30\x3C\0", 5);  // +1 for 4 bytes, +24 for 60
  numbers.resize(8, '\0');
  uint64_t numbers_at = kHeader + names.size();
  uint64_t functions = numbers_at + numbers.size();
  ByteWriter table;
  table.number<uint32_t>(0xFFFFFFF1);
  table.number<uint32_t>(0x08010000);
  for (uint64_t number : {uint64_t{2}, uint64_t{1}, text, kHeader, kHeader, kHeader, numbers_at}) {
    table.number(number);
  }
  table.number(functions);
  table.text(names + numbers);
  // Starts and descriptions (44 bytes each, after the 20 of this list), then the end.
  for (uint32_t number : {0U, 20U, 0x40U, 64U, 0x100U}) {
    table.number(number);
  }
  for (uint32_t function : {0U, 1U}) {
    for (uint32_t number : {function * 0x40, function * 10, 0U, 0U, 0U, 0U, 0U, 0U, 0U, 0U}) {
      table.number(number);
    }
    table.number<uint32_t>(function == 1 ? uint32_t{flags} << 8U : 0U);  // kind, flags
  }
  return table.bytes();
}

}  // namespace wick::testing

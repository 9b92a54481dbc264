// SPDX-License-Identifier: Apache-2.0
// The location of a frame in a Gecko profile, split into its parts:
//
//     0x7f12ab               an address
//     f (file.js:3:14)       a script function with line and column; the column may be missing
//     file.js:3              a script without a function
//     a.js -> b.js:3         a script that was loaded by another one; the last one counts
//     f (in libxul.so)       a symbol, of old profiles
//     nsRefreshDriver::Tick  a label of the browser's own code
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace wick::firefox {

struct Location {
  std::string_view name;
  std::string_view file;
  std::string_view library;
  uint32_t line = 0;
  uint32_t column = 0;
  std::optional<uint64_t> address;
};

Location parse_location(std::string_view text);

// "0x12ab" as a number.
std::optional<uint64_t> parse_address(std::string_view text);

}  // namespace wick::firefox

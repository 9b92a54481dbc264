// SPDX-License-Identifier: Apache-2.0
// UTF-8 from untrusted files: mostly valid, sometimes not.
//
// Utf8Cursor walks text one character at a time. It reports each byte that is not valid UTF-8 as
// one invalid character, so that every caller (terminal, JSON, SVG) decides how to show it, and no
// input makes a caller skip a byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace wick {

struct Utf8Char {
  uint32_t code = 0;       // code point, or the raw byte when invalid
  std::string_view bytes;  // the bytes of this character
  bool valid = true;
};

class Utf8Cursor {
 public:
  explicit Utf8Cursor(std::string_view text) : rest_(text) {}
  bool at_end() const { return rest_.empty(); }
  Utf8Char next();

 private:
  std::string_view rest_;
};

void append_utf8(std::string& out, uint32_t code);

// The text with U+FFFD instead of each byte that is not valid UTF-8, for formats that require it.
std::string valid_utf8(std::string_view text);

// Columns that a character takes on a terminal: 0 for combining marks, 2 for wide East Asian ones.
int display_columns(uint32_t code);
size_t display_columns(std::string_view text);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Characters and words of one line of `perf script`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace wick::perf_script {

// perf prints addresses with "%16x", after a blank.
inline constexpr size_t kAddressColumns = 16;

inline bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
// perf prints addresses in lower case; other writers of this text do not always.
inline bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

inline std::string_view trim_start(std::string_view text) {
  size_t blanks = 0;
  while (blanks < text.size() && is_blank(text[blanks])) {
    ++blanks;
  }
  return text.substr(blanks);
}
inline std::string_view trim_end(std::string_view text) {
  size_t end = text.size();
  while (end > 0 && is_blank(text[end - 1])) {
    --end;
  }
  return text.substr(0, end);
}

inline bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  return std::ranges::any_of(starts,
                             [&](std::string_view start) { return text.starts_with(start); });
}

// How many characters at the start of `text` satisfy `test`.
template <typename Test>
size_t run_length(std::string_view text, Test test) {
  size_t length = 0;
  while (length < text.size() && test(text[length])) {
    ++length;
  }
  return length;
}

// The last word of `text`, which must not end in a blank.
inline std::string_view last_word(std::string_view text) {
  size_t begin = text.size();
  while (begin > 0 && !is_blank(text[begin - 1])) {
    --begin;
  }
  return text.substr(begin);
}

}  // namespace wick::perf_script

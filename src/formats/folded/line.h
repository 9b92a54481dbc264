// SPDX-License-Identifier: Apache-2.0
// Splits one folded line into its parts, still as text.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace wick::folded {

// Once a file has a decimal fraction, weights are whole numbers of 1/kFraction.
inline constexpr int64_t kFraction = 1'000'000;

struct Number {
  int64_t whole = 0;
  int64_t millionths = 0;  // 0..999999
};

struct StackLine {
  std::string_view stack;  // "main;parse;read_line", may be empty
  Number before;           // only with two columns
  Number value;
  bool decimals = false;
};

enum class Columns : uint8_t { kOne, kTwo };

// The error says what is wrong with the line, without its number.
Result<StackLine> split_line(std::string_view line, Columns columns);

// The --columns flag, or the number of columns in the first lines of the input if it is "auto".
Columns choose_columns(std::string_view flag, Bytes head);

// True for lines without data: blank, or a comment.
bool is_silent(std::string_view line);

}  // namespace wick::folded

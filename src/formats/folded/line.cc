// SPDX-License-Identifier: Apache-2.0
#include "formats/folded/line.h"

#include "base/escape.h"
#include "base/parse_number.h"

namespace wick::folded {
namespace {

// A larger count is not plausible. Sums of smaller ones stay exact everywhere (2^53).
constexpr int64_t kMaxWeight = 9'007'199'254'740'992;

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

std::string_view trim_end(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Removes "123" or "12.5" from the end of `line`, with the one blank before it. Any other blank
// there belongs to the name.
Result<Number> take_number(std::string_view& line) {
  std::string_view text = trim_end(line);
  size_t blank = text.find_last_of(" \t");
  std::string_view token = text.substr(blank == std::string_view::npos ? 0 : blank + 1);
  bool numeric = !token.empty() && is_digit(token[0]) &&
                 token.find_first_not_of("0123456789.") == std::string_view::npos;
  if (!numeric || blank == std::string_view::npos) {
    std::string_view end = token.substr(0, 40);
    return fail("it ends in \"{}\", not in a space and a number", terminal_text(end));
  }
  Number number;
  size_t point = token.find('.');
  std::optional<int64_t> whole = parse_number<int64_t>(token.substr(0, point));
  if (!whole || *whole > kMaxWeight) {
    return fail("its count {} is too large", terminal_text(token.substr(0, 40)));
  }
  number.whole = *whole;
  if (point != std::string_view::npos) {
    int64_t unit = kFraction / 10;
    for (char digit : token.substr(point + 1)) {
      if (!is_digit(digit)) {
        return fail("its count {} is not a number", terminal_text(token.substr(0, 40)));
      }
      number.millionths += (digit - '0') * unit;
      unit /= 10;
    }
  }
  line = text.substr(0, blank);
  return number;
}

}  // namespace

bool is_silent(std::string_view line) {
  return trim_end(line).empty() || line.starts_with("# ");
}

Result<StackLine> split_line(std::string_view line, Columns columns) {
  StackLine result;
  result.value = TRY(take_number(line));
  if (columns == Columns::kTwo) {
    result.before = TRY(take_number(line));
  }
  while (line.ends_with(';')) {  // heaptrack_print ends stacks so; flamegraph.pl ignores it
    line.remove_suffix(1);
  }
  result.stack = line;
  result.decimals = result.value.millionths != 0 || result.before.millionths != 0;
  return result;
}

}  // namespace wick::folded

#include "formats/folded/line.h"

#include <charconv>

#include "base/escape.h"

namespace wick::folded {
namespace {

// A count beyond this cannot be meant, and sums of smaller ones stay exact everywhere (2^53).
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

// Takes "123" or "12.5" off the end of `line`, together with the one blank before it: any other blank there
// belongs to the name.
Result<Number> take_number(std::string_view& line) {
  std::string_view text = trim_end(line);
  size_t blank = text.find_last_of(" \t");
  std::string_view token = text.substr(blank == std::string_view::npos ? 0 : blank + 1);
  bool numeric = !token.empty() && is_digit(token[0]) &&
                 token.find_first_not_of("0123456789.") == std::string_view::npos;
  if (!numeric || blank == std::string_view::npos) {
    std::string_view end = token.substr(0, 40);
    return fail("it ends in \"{}\", not in a blank and a number", terminal_text(end));
  }
  Number number;
  const char* last = token.data() + token.size();
  auto [rest, error] = std::from_chars(token.data(), last, number.whole);
  if (error != std::errc() || number.whole > kMaxWeight) {
    return fail("its count {} is too large", terminal_text(token.substr(0, 40)));
  }
  if (rest != last) {
    int64_t unit = kFraction / 10;
    for (++rest; rest != last; ++rest, unit /= 10) {
      if (!is_digit(*rest)) {
        return fail("its count {} is no number", terminal_text(token.substr(0, 40)));
      }
      number.millionths += (*rest - '0') * unit;
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
  result.stack = line;
  result.decimals = result.value.millionths != 0 || result.before.millionths != 0;
  return result;
}

}  // namespace wick::folded

// SPDX-License-Identifier: Apache-2.0
#include "formats/flamegraph_svg/title.h"

#include <array>
#include <string>

#include "base/parse_number.h"
#include "base/plural.h"

namespace wick::flamegraph_svg {
namespace {

constexpr double kSmallest = 0.00005;  // the value used for "under 0.01 %"

// "1,234.5" or "+1.2": a number with thousands separators.
std::optional<double> parse_amount(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
  }
  constexpr size_t kLongest = 40;
  if (text.size() > kLongest) {
    return std::nullopt;
  }
  std::string digits;
  for (char c : text) {
    if (c != ',') {
      digits += c;
    }
  }
  return parse_number<double>(digits);
}

// "12.34%", "12.34 %" or "under 0.01 %".
std::optional<double> parse_percent(std::string_view text) {
  if (!text.ends_with('%')) {
    return std::nullopt;
  }
  size_t under = text.find("under ");
  if (under != std::string_view::npos) {
    return text.starts_with("down") ? -kSmallest : kSmallest;
  }
  text.remove_suffix(text.ends_with(" %") ? 2 : 1);
  std::optional<double> percent = parse_amount(text);
  if (percent) {
    *percent /= 100;
  }
  return percent;
}

// "1,234 samples"; the unit may contain blanks.
struct Amount {
  double number = 0;
  std::string_view unit;
};
std::optional<Amount> parse_amount_and_unit(std::string_view text) {
  size_t blank = text.find(' ');
  std::optional<double> number = parse_amount(text.substr(0, blank));
  if (!number || blank == std::string_view::npos) {
    return std::nullopt;
  }
  return Amount{*number, text.substr(blank + 1)};
}

// The text in the parentheses at the end.
bool parse_numbers(std::string_view inside, Title& title) {
  size_t change = inside.rfind("; ");
  if (change != std::string_view::npos) {
    title.change = parse_percent(inside.substr(change + 2));
    inside = title.change ? inside.substr(0, change) : inside;
  }
  size_t comma = inside.rfind(", ");
  if (comma == std::string_view::npos || !parse_percent(inside.substr(comma + 2))) {
    return false;
  }
  inside = inside.substr(0, comma);
  std::optional<Amount> amount = parse_amount_and_unit(inside);
  size_t piece = inside.rfind(", ");
  if (piece != std::string_view::npos) {
    amount = parse_amount_and_unit(inside.substr(piece + 2));
  }
  if (!amount || amount->number < 0) {
    return false;
  }
  title.amount = amount->number;
  title.unit = amount->unit;
  return true;
}

// Names may contain parentheses. The last pair with numbers in it counts.
bool parse_first_line(std::string_view line, Title& title) {
  if (!line.ends_with("%)")) {
    return false;
  }
  size_t open = line.rfind(" (");
  if (open == std::string_view::npos ||
      !parse_numbers(line.substr(open + 2, line.size() - open - 3), title)) {
    return false;
  }
  title.name = line.substr(0, open);
  return true;
}

bool is_kind(std::string_view word) {
  constexpr std::array<std::string_view, 6> kKinds = {
      "kernel", "user", "inlined", "jit", "waker", "python"};
  for (std::string_view kind : kKinds) {
    if (word == kind) {
      return true;
    }
  }
  return false;
}

void parse_second_line(std::string_view line, std::string_view unit, Title& title) {
  constexpr std::string_view kSelf = "self ";
  constexpr std::string_view kChange = "own change ";
  auto plain = [&](std::string_view text) -> std::optional<double> {
    std::optional<Amount> amount = parse_amount_and_unit(text);
    bool is_plain = amount && unit.size() > 3 &&  // not "ms", "MiB"
                    singular(amount->unit) == singular(unit);
    return is_plain ? std::optional(amount->number) : std::nullopt;
  };
  auto plain_after = [&](std::string_view word, std::string_view piece) {
    return piece.starts_with(word) ? plain(piece.substr(word.size())) : std::nullopt;
  };
  while (!line.empty()) {
    size_t end = std::min(line.find(", "), line.size());
    std::string_view piece = line.substr(0, end);
    line.remove_prefix(std::min(end + 2, line.size()));
    if (piece.starts_with(kSelf)) {
      title.reports_self = true;
      title.self = plain(piece.substr(kSelf.size()));
    } else if (std::optional<double> amount = plain_after("before ", piece)) {
      title.before = amount;
    } else if (amount = plain_after("after ", piece); amount) {
      title.after = amount;
    } else if (piece.starts_with(kChange)) {
      piece.remove_prefix(kChange.size());
      size_t open = piece.rfind(" (");
      title.change_amount = plain(piece.substr(0, open));
      if (open != std::string_view::npos && piece.ends_with(')')) {
        title.change = parse_percent(piece.substr(open + 2, piece.size() - open - 3));
      }
    } else if (line.empty() && is_kind(piece)) {
      title.kind = piece;
    } else if (title.module.empty()) {
      title.module = piece;
    }
  }
}

}  // namespace

std::optional<Title> parse_title(std::string_view text) {
  Title title;
  if (parse_first_line(text, title)) {
    return title;
  }
  size_t line_end = text.rfind('\n');
  if (line_end == std::string_view::npos || !parse_first_line(text.substr(0, line_end), title)) {
    return std::nullopt;
  }
  parse_second_line(text.substr(line_end + 1), title.unit, title);
  return title;
}

}  // namespace wick::flamegraph_svg

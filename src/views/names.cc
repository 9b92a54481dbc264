// SPDX-License-Identifier: Apache-2.0
#include "views/names.h"

#include <algorithm>

#include "base/utf8.h"

namespace wick {
namespace {

constexpr std::string_view kGap = "..";

size_t blanks(std::string_view text, size_t columns) {
  size_t taken = display_columns(text);
  return taken < columns ? columns - taken : 0;
}

// The last `columns` columns of the text, as whole characters.
std::string_view last_columns(std::string_view text, size_t columns) {
  size_t excess = display_columns(text);
  Utf8Cursor cursor(text);
  while (excess > columns && !cursor.at_end()) {
    Utf8Char character = cursor.next();
    excess -= static_cast<size_t>(display_columns(character.code));
    text.remove_prefix(character.bytes.size());
  }
  return text;
}

}  // namespace

std::string cut_middle(std::string_view text, size_t columns) {
  if (display_columns(text) <= columns) {
    return std::string(text);
  }
  if (columns <= kGap.size() + 1) {
    return std::string(kGap.substr(0, columns));
  }
  size_t room = columns - kGap.size();
  std::string_view head = first_columns(text, room / 2);
  std::string_view tail = last_columns(text.substr(head.size()), room - display_columns(head));
  return std::string(head) + std::string(kGap) + std::string(tail);
}

std::string cut_head(std::string_view text, size_t columns) {
  if (display_columns(text) <= columns) {
    return std::string(text);
  }
  if (columns <= kGap.size()) {
    return std::string(kGap.substr(0, columns));
  }
  return std::string(kGap) + std::string(last_columns(text, columns - kGap.size()));
}

std::string cut_text(std::string_view text, size_t columns) {
  if (first_columns(text, columns).size() == text.size()) {
    return std::string(text);
  }
  return std::string(first_columns(text, columns < 2 ? 0 : columns - 2)) + "..";
}

std::string_view first_columns(std::string_view text, size_t columns) {
  size_t bytes = 0;
  size_t used = 0;
  for (Utf8Cursor cursor(text); !cursor.at_end();) {
    Utf8Char character = cursor.next();
    used += static_cast<size_t>(display_columns(character.code));
    if (used > columns) {
      break;
    }
    bytes += character.bytes.size();
  }
  return text.substr(0, bytes);
}

std::vector<std::string_view> wrapped_lines(std::string_view text, size_t columns) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    std::string_view line = first_columns(text, std::max<size_t>(columns, 1));
    if (line.empty()) {
      line = text.substr(0, Utf8Cursor(text).next().bytes.size());
    }
    size_t space = line.rfind(' ');
    if (line.size() < text.size() && text[line.size()] != ' ' && space != std::string_view::npos &&
        space > 0) {
      line = line.substr(0, space);
    }
    lines.push_back(line);
    text.remove_prefix(line.size());
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  return lines;
}

std::string pad_right(std::string_view text, size_t columns) {
  return std::string(text) + std::string(blanks(text, columns), ' ');
}

std::string pad_left(std::string_view text, size_t columns) {
  return std::string(blanks(text, columns), ' ') + std::string(text);
}

}  // namespace wick

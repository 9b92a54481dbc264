// SPDX-License-Identifier: Apache-2.0
#include "formats/firefox/location.h"

#include "base/parse_number.h"

namespace wick::firefox {
namespace {

// Takes ":123" from the end of the text.
bool take_number(std::string_view& text, uint32_t& number) {
  size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size()) {
    return false;
  }
  std::optional<uint32_t> parsed = parse_number<uint32_t>(text.substr(colon + 1));
  if (!parsed) {
    return false;
  }
  number = *parsed;
  text = text.substr(0, colon);
  return true;
}

// "a -> b:3:14": the file, line and column of b. False if there is no line.
bool take_file(std::string_view text, Location& location) {
  if (size_t arrow = text.rfind(" -> "); arrow != std::string_view::npos) {
    text.remove_prefix(arrow + 4);
  }
  uint32_t last = 0;
  uint32_t before_last = 0;
  if (!take_number(text, last)) {
    return false;
  }
  bool has_column = take_number(text, before_last);
  location.file = text;
  location.line = has_column ? before_last : last;
  location.column = has_column ? last : 0;
  return true;
}

// "f (file.js:3:14)" and "f (in library)". The file may contain brackets, too.
bool take_brackets(std::string_view text, Location& location) {
  size_t bracket = text.find(" (");
  if (bracket == std::string_view::npos) {
    return false;
  }
  std::string_view inside = text.substr(bracket + 2, text.size() - bracket - 3);
  location.name = text.substr(0, bracket);
  if (inside.starts_with("in ")) {
    location.library = inside.substr(3);
    return true;
  }
  return take_file(inside, location);
}

}  // namespace

std::optional<uint64_t> parse_address(std::string_view text) {
  return text.starts_with("0x") ? parse_hex(text.substr(2)) : std::nullopt;
}

Location parse_location(std::string_view text) {
  Location location;
  location.address = parse_address(text);
  if (location.address) {
    return location;
  }
  if (!text.ends_with(')') || !take_brackets(text, location)) {
    bool is_script = !text.ends_with(')') && take_file(text, location);
    location.name = is_script ? "(script)" : text;
  }
  return location;
}

}  // namespace wick::firefox

// SPDX-License-Identifier: Apache-2.0
#include "formats/flamegraph_svg/markup.h"

#include <algorithm>
#include <array>

#include "base/parse_number.h"
#include "base/utf8.h"

namespace wick::flamegraph_svg {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

// The end of the tag that starts at 0: the first '>' outside quotes.
size_t end_of_tag(std::string_view text) {
  size_t at = 0;
  while (true) {
    at = text.find_first_of(">\"'", at);
    if (at == std::string_view::npos || text[at] == '>') {
      return at;
    }
    at = text.find(text[at], at + 1);
    if (at == std::string_view::npos) {
      return at;
    }
    ++at;
  }
}

struct Entity {
  std::string_view name;
  char replacement;
};
constexpr std::array<Entity, 5> kEntities = {
    {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}}};

// Appends the character of an entity; false if the entity is unknown.
bool append_entity(std::string& out, std::string_view name) {
  for (const Entity& entity : kEntities) {
    if (name == entity.name) {
      out += entity.replacement;
      return true;
    }
  }
  if (!name.starts_with('#') || name.size() < 2) {
    return false;
  }
  bool hexadecimal = name[1] == 'x' || name[1] == 'X';
  std::string_view digits = name.substr(hexadecimal ? 2 : 1);
  uint32_t code = 0;
  auto [rest, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), code, hexadecimal ? 16 : 10);
  bool is_character = code < 0x110000 && (code < 0xD800 || code > 0xDFFF);
  if (error != std::errc() || rest != digits.data() + digits.size() || !is_character) {
    return false;
  }
  append_utf8(out, code);
  return true;
}

}  // namespace

bool Markup::skip_past(std::string_view end) {
  size_t at = rest_.find(end);
  broke_off_ = at == std::string_view::npos;
  rest_.remove_prefix(broke_off_ ? rest_.size() : at + end.size());
  return !broke_off_;
}

// Skips text that starts with "<!" or "<?".
bool Markup::skip_declaration() {
  if (rest_.starts_with("<!--")) {
    return skip_past("-->");
  }
  if (rest_.starts_with("<![CDATA[")) {
    return skip_past("]]>");
  }
  if (rest_.starts_with("<?")) {
    return skip_past("?>");
  }
  // Removes the text that was searched. Searching it again for each declaration in it would take
  // quadratic time.
  size_t end = end_of_tag(rest_);
  size_t subset = rest_.substr(0, end).find('[');  // <!DOCTYPE svg [ <!ENTITY ...> ]>
  rest_.remove_prefix(std::min({subset, end, rest_.size()}));
  return skip_past(subset == std::string_view::npos ? ">" : "]>");
}

bool Markup::skip_contents_of(std::string_view element) {
  size_t at = 0;
  while ((at = rest_.find("</", at)) != std::string_view::npos) {
    if (rest_.substr(at + 2).starts_with(element)) {
      rest_.remove_prefix(at);
      return true;
    }
    at += 2;
  }
  broke_off_ = true;
  rest_ = {};
  return false;
}

bool Markup::next(Tag& tag) {
  while (true) {
    size_t open = rest_.find('<');
    if (open == std::string_view::npos) {
      rest_ = {};
      return false;
    }
    tag.text_before = rest_.substr(0, open);
    rest_.remove_prefix(open);
    if (rest_.size() > 1 && (rest_[1] == '!' || rest_[1] == '?')) {
      if (!skip_declaration()) {
        return false;
      }
      continue;
    }
    size_t end = end_of_tag(rest_);
    if (end == std::string_view::npos) {
      broke_off_ = true;
      rest_ = {};
      return false;
    }
    std::string_view inside = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    bool is_empty = inside.ends_with('/');
    inside.remove_suffix(is_empty ? 1 : 0);
    size_t name_end = std::min(inside.find_first_of(kBlanks), inside.size());
    tag.name = inside.substr(0, name_end);
    tag.attributes = inside.substr(name_end);
    if ((tag.name == "script" || tag.name == "style") && !is_empty) {
      if (!skip_contents_of(tag.name)) {
        return false;
      }
    }
    return true;
  }
}

std::string unescaped(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  while (!text.empty()) {
    size_t amp = std::min(text.find('&'), text.size());
    plain += text.substr(0, amp);
    text.remove_prefix(amp);
    if (text.empty()) {
      break;
    }
    constexpr size_t kLongestEntity = 12;
    size_t end = text.substr(0, kLongestEntity).find(';');
    if (end != std::string_view::npos && append_entity(plain, text.substr(1, end - 1))) {
      text.remove_prefix(end + 1);
    } else {
      plain += '&';
      text.remove_prefix(1);
    }
  }
  return plain;
}

}  // namespace wick::flamegraph_svg

// SPDX-License-Identifier: Apache-2.0
#include "base/escape.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/utf8.h"

namespace wick {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool is_control(uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0);
}

// Characters that reorder or hide the text around them, that have no width and no shape (so that
// two different names look alike, or a name carries a hidden text), and line separators. Sorted.
struct CharacterRange {
  uint32_t first = 0;
  uint32_t last = 0;
};
constexpr std::array kDeceptive = {
    CharacterRange{0x00AD, 0x00AD},    // soft hyphen
    CharacterRange{0x034F, 0x034F},    // combining grapheme joiner
    CharacterRange{0x061C, 0x061C},    // Arabic letter mark
    CharacterRange{0x115F, 0x1160},    // Hangul fillers
    CharacterRange{0x17B4, 0x17B5},    // Khmer inherent vowels
    CharacterRange{0x180B, 0x180F},    // Mongolian separators
    CharacterRange{0x200B, 0x200F},    // zero-width spaces and joiners, direction marks
    CharacterRange{0x2028, 0x202E},    // line separators, embeddings, overrides
    CharacterRange{0x2060, 0x206F},    // word joiner, invisible operators, isolates
    CharacterRange{0x3164, 0x3164},    // Hangul filler
    CharacterRange{0xFE00, 0xFE0F},    // variation selectors
    CharacterRange{0xFEFF, 0xFEFF},    // zero-width no-break space
    CharacterRange{0xFFA0, 0xFFA0},    // Hangul filler
    CharacterRange{0xFFF0, 0xFFFB},    // annotations
    CharacterRange{0x1BCA0, 0x1BCA3},  // shorthand format controls
    CharacterRange{0x1D173, 0x1D17A},  // musical format controls
    CharacterRange{0xE0000, 0xE0FFF},  // tags, more variation selectors
};

bool is_deceptive(uint32_t code) {
  if (code < kDeceptive.front().first) {
    return false;
  }
  auto range = std::ranges::lower_bound(kDeceptive, code, {}, &CharacterRange::last);
  return range != kDeceptive.end() && code >= range->first;
}

// JSON writes a code above 16 bits as two.
std::string json_code(uint32_t code) {
  if (code <= 0xFFFF) {
    return fmt::format("\\u{:04x}", code);
  }
  uint32_t rest = code - 0x10000;
  return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10U), 0xDC00 + (rest & 0x3FFU));
}

bool is_plain(char c) {
  return c >= 0x20 && c < 0x7F;
}

// The length of the run of plain ASCII characters at the start of `text`. Almost every name is one
// such run.
template <typename IsSpecial>
size_t plain_run(std::string_view text, IsSpecial is_special) {
  size_t length = 0;
  while (length < text.size() && is_plain(text[length]) && !is_special(text[length])) {
    ++length;
  }
  return length;
}

// Copies the plain runs of `text` and calls `put` for every other character.
template <typename IsSpecial, typename Put>
std::string escape_with(std::string_view text, IsSpecial is_special, Put put) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    size_t run = plain_run(text, is_special);
    out.append(text.substr(0, run));
    text.remove_prefix(run);
    if (!text.empty()) {
      Utf8Char character = Utf8Cursor(text).next();
      put(out, character);
      text.remove_prefix(character.bytes.size());
    }
  }
  return out;
}

}  // namespace

std::string terminal_text(std::string_view text) {
  auto none = [](char) { return false; };
  return escape_with(text, none, [](std::string& out, const Utf8Char& c) {
    if (!c.valid || is_control(c.code)) {
      out += fmt::format("\\x{:02x}", c.code);
    } else if (is_deceptive(c.code)) {
      out += fmt::format("\\u{:04x}", c.code);
    } else {
      out += c.bytes;
    }
  });
}

std::string short_terminal_text(std::string_view text) {
  constexpr size_t kMaxCharacters = 60;
  Utf8Cursor cursor(text);
  size_t bytes = 0;
  for (size_t i = 0; i < kMaxCharacters && !cursor.at_end(); ++i) {
    bytes += cursor.next().bytes.size();
  }
  return terminal_text(text.substr(0, bytes)) + (bytes < text.size() ? "..." : "");
}

std::string terminal_lines(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    size_t end = text.find('\n');
    result += terminal_text(text.substr(0, end));
    if (end == std::string_view::npos) {
      break;
    }
    result += '\n';
    text.remove_prefix(end + 1);
  }
  return result;
}

std::string json_text(std::string_view text) {
  auto special = [](char c) { return c == '"' || c == '\\' || c == '<' || c == '>' || c == '&'; };
  return escape_with(text, special, [](std::string& out, const Utf8Char& c) {
    if (!c.valid) {
      out += kReplacement;
    } else if (c.code == '"' || c.code == '\\') {
      out += '\\';
      out += c.bytes;
    } else if (c.code < 0x80 || is_control(c.code) || is_deceptive(c.code)) {
      out += json_code(c.code);
    } else {
      out += c.bytes;
    }
  });
}

std::string xml_text(std::string_view text) {
  auto special = [](char c) { return c == '<' || c == '>' || c == '&' || c == '"' || c == '\''; };
  return escape_with(text, special, [](std::string& out, const Utf8Char& c) {
    switch (c.code) {
      case '<':
        out += "&lt;";
        return;
      case '>':
        out += "&gt;";
        return;
      case '&':
        out += "&amp;";
        return;
      case '"':
        out += "&quot;";
        return;
      case '\'':
        out += "&#39;";
        return;
      default:
        break;
    }
    bool forbidden =
        !c.valid || is_control(c.code) || is_deceptive(c.code) || (c.code & 0xFFFEU) == 0xFFFE;
    out += forbidden ? kReplacement : c.bytes;
  });
}

std::string markdown_text(std::string_view text) {
  std::string result;
  for (char c : terminal_text(text)) {
    if (std::string_view("\\`*_[]<>&|#~!").contains(c)) {
      result += '\\';
    }
    result += c;
  }
  return result;
}

std::string csv_field(std::string_view text) {
  bool quote = text.find_first_of(",\"\r\n") != std::string_view::npos;
  bool formula =
      !text.empty() && std::string_view("=+-@\t").find(text[0]) != std::string_view::npos;
  if (!quote && !formula) {
    return std::string(text);
  }
  std::string out = "\"";
  if (formula) {
    out += '\'';
  }
  for (char c : text) {
    if (c == '"') {
      out += '"';
    }
    out += c;
  }
  out += '"';
  return out;
}

}  // namespace wick

// Foreign text made safe for the place it goes to.
//
// Names come from other people's programs and may hold terminal escapes, markup, direction
// overrides or bytes that are no text at all. Each function here takes any bytes and returns text
// that its medium shows and never obeys. Nothing else in wick may print a foreign string.
#pragma once

#include <string>
#include <string_view>

namespace wick {

// For terminals and messages: control characters, direction overrides and invalid bytes become
// visible escapes (\x1b, \u202e); a backslash stays itself.
std::string terminal_text(std::string_view text);
// The same for several lines, whose ends stay.
std::string terminal_lines(std::string_view text);

// The inside of a JSON string, without its quotes. Invalid bytes become U+FFFD; <, > and & become
// \u escapes, so that the result is safe inside a page's script element, too.
std::string json_text(std::string_view text);

// For XML and HTML, in element content and in quoted attributes alike. Characters that XML 1.0
// forbids and direction overrides become U+FFFD.
std::string xml_text(std::string_view text);

// Markdown: no character of it means anything, in a table's cell either.
std::string markdown_text(std::string_view text);

// A CSV field: quoted when it must be, and never starting a formula in a spreadsheet.
std::string csv_field(std::string_view text);

}  // namespace wick

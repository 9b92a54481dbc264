// SPDX-License-Identifier: Apache-2.0
// Makes untrusted text safe for the medium that shows it.
//
// Names come from other people's programs. They may contain terminal escapes, markup, direction
// overrides or bytes that are not text at all. Each function accepts any bytes and returns text
// that its medium displays and never interprets. wick must not print an untrusted string in any
// other way.
#pragma once

#include <string>
#include <string_view>

namespace wick {

// For terminals and messages: control characters, direction overrides, characters without width and
// invalid bytes become visible escapes (\x1b, \u202e, \u200b); a backslash stays itself.
std::string terminal_text(std::string_view text);
// The same for a pattern or another long text of the user, inside of a message: its beginning is
// enough to recognise it.
std::string short_terminal_text(std::string_view text);
// The same for text of several lines; line ends stay as they are.
std::string terminal_lines(std::string_view text);

// The content of a JSON string, without its quotes. Invalid bytes become U+FFFD; <, > and & become
// \u escapes, so that the result is also safe inside a script element of a page.
std::string json_text(std::string_view text);

// For XML and HTML, both in element content and in quoted attributes. Characters that XML 1.0
// forbids and direction overrides become U+FFFD.
std::string xml_text(std::string_view text);

// For Markdown: escapes every character that has a meaning there, also in a table cell.
std::string markdown_text(std::string_view text);

// A CSV field: quoted if necessary, and never the start of a formula in a spreadsheet.
std::string csv_field(std::string_view text);

}  // namespace wick

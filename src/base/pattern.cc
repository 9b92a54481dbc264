// SPDX-License-Identifier: Apache-2.0
// Names are bytes from files: mostly ASCII, sometimes UTF-8, sometimes neither. RE2 reads a text
// either as bytes (its Latin-1), where "." matches a part of a character, or as UTF-8, where no
// expression matches an invalid byte. So a pattern is compiled for both, and each text chooses.
#include "base/pattern.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <re2/re2.h>

#include "base/escape.h"
#include "base/utf8.h"

namespace wick {
namespace {

// Names that are not UTF-8 are bytes, where classes of Unicode would silently never match.
bool has_unicode_class(std::string_view expression) {
  for (size_t at = 0; at + 1 < expression.size(); ++at) {
    if (expression[at] != '\\') {
      continue;
    }
    ++at;
    if (expression[at] == 'p' || expression[at] == 'P') {
      return true;
    }
    if (expression[at] == 'Q') {
      at = std::min(expression.size(), expression.find("\\E", at));
    }
  }
  return false;
}

bool is_ascii(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return (static_cast<uint8_t>(c) & 0x80U) != 0; });
}

bool is_utf8(std::string_view text) {
  for (Utf8Cursor cursor(text); !cursor.at_end();) {
    if (!cursor.next().valid) {
      return false;
    }
  }
  return true;
}

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

std::unique_ptr<re2::RE2> compiled_as(std::string_view expression,
                                      re2::RE2::Options::Encoding encoding) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_encoding(encoding);
  return std::make_unique<re2::RE2>(piece(expression), options);
}

// "{2,1}": it repeats at least more often than at most.
bool is_reversed(std::string_view repetition) {
  unsigned least = 0;
  unsigned most = 0;
  const char* end = repetition.data() + repetition.size();
  const char* comma = std::from_chars(repetition.data() + 1, end, least).ptr;
  return comma != end && *comma == ',' && std::from_chars(comma + 1, end, most).ptr != comma + 1 &&
         most < least;
}

// What to know about a kind of group that RE2 does not have.
std::string_view instead_of_group(std::string_view start) {
  if (start == "(?<") {
    return ": a named group is (?P<name>...), and a pattern cannot look back";
  }
  return start == "(?=" || start == "(?!" ? ": a pattern cannot look ahead" : "";
}

// `escape` is the text up to its first character that RE2 does not accept.
std::string problem_of_escape(std::string_view escape) {
  std::string_view number = escape.substr(1);
  bool is_hex = number.starts_with("x{");
  number.remove_prefix(is_hex ? 2 : 0);
  if (!is_hex && number.size() == 1 && number[0] >= '1' && number[0] <= '9') {
    return fmt::format("{} is not supported: a pattern cannot refer back to a group", escape);
  }
  unsigned value = 0;
  const char* begin = number.data();
  const char* end = begin + number.size();
  if (std::from_chars(begin, end, value, is_hex ? 16 : 8).ptr == end && value > 0xFF) {
    return "the highest character of an escape is \\xff; write the character itself";
  }
  return fmt::format("the escape {} has no meaning; write \\\\ for a backslash", escape);
}

// The part of the expression that RE2 complains about. Of an expression that is compiled for bytes,
// RE2 has made a character of each byte.
std::string part_of(const re2::RE2& compiled) {
  if (compiled.options().encoding() == re2::RE2::Options::EncodingUTF8) {
    return compiled.error_arg();
  }
  std::string bytes;
  for (Utf8Cursor cursor(compiled.error_arg()); !cursor.at_end();) {
    bytes += static_cast<char>(cursor.next().code);
  }
  return bytes;
}

// The end of the sentence "... is not a regular expression: ".
std::string problem_of(const re2::RE2& compiled) {
  std::string part = short_terminal_text(part_of(compiled));
  switch (compiled.error_code()) {
    case re2::RE2::ErrorBadEscape:
      return problem_of_escape(part);
    case re2::RE2::ErrorBadCharClass:
      return fmt::format("{} is not a class of characters", part);
    case re2::RE2::ErrorBadCharRange:
      return part.starts_with("[:") ? fmt::format("there is no class {}", part)
                                    : fmt::format("the range {} is reversed", part);
    case re2::RE2::ErrorMissingBracket:
      return "a [ has no ]; write \\[ for the character itself";
    case re2::RE2::ErrorMissingParen:
      return "a ( has no ); write \\( for the character itself";
    case re2::RE2::ErrorUnexpectedParen:
      return "a ) has no (; write \\) for the character itself";
    case re2::RE2::ErrorTrailingBackslash:
      return "it ends with a backslash; write \\\\ for the character itself";
    case re2::RE2::ErrorRepeatArgument:
      return fmt::format(
          "there is nothing before {} to repeat; write .* for any text, or \\{} for the character",
          part,
          part);
    case re2::RE2::ErrorRepeatSize:
      return is_reversed(part) ? fmt::format("the repetition {} is reversed", part)
                               : fmt::format("{} repeats too often, at most 1000 times", part);
    case re2::RE2::ErrorRepeatOp:
      return fmt::format("{} repeats a repetition", part);
    case re2::RE2::ErrorBadPerlOp:
      return fmt::format("{} is not supported{}", part, instead_of_group(part));
    case re2::RE2::ErrorBadNamedCapture:
      return fmt::format("{} is not a named group, (?P<name>...)", part);
    case re2::RE2::ErrorPatternTooLarge:
      return "it is too large; use a shorter one, or fewer repetitions";
    default:
      return "it cannot be compiled";
  }
}

}  // namespace

Pattern::Pattern(std::unique_ptr<re2::RE2> bytes, std::unique_ptr<re2::RE2> characters)
    : bytes_(std::move(bytes)),
      characters_(std::move(characters)),
      is_ascii_(is_ascii(bytes_->pattern())) {}
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

Result<Pattern> Pattern::compile(std::string_view expression) {
  auto refused = [&](std::string_view problem) {
    return fail_usage(
        "\"{}\" is not a regular expression: {}.", short_terminal_text(expression), problem);
  };
  if (has_unicode_class(expression)) {
    return refused("classes of Unicode (\\p) are not supported");
  }
  std::unique_ptr<re2::RE2> characters = compiled_as(expression, re2::RE2::Options::EncodingUTF8);
  if (characters->error_code() == re2::RE2::ErrorBadUTF8) {
    characters.reset();
  } else if (!characters->ok()) {
    return refused(problem_of(*characters));
  }
  std::unique_ptr<re2::RE2> bytes = compiled_as(expression, re2::RE2::Options::EncodingLatin1);
  // As bytes, [a-é-z] has a range from the last byte of a character to z.
  bool is_of_characters =
      characters != nullptr && bytes->error_code() == re2::RE2::ErrorBadCharRange;
  if (is_of_characters) {
    bytes = compiled_as(expression, re2::RE2::Options::EncodingUTF8);
  }
  if (!bytes->ok()) {
    return refused(problem_of(*bytes));
  }
  return Pattern(std::move(bytes), std::move(characters));
}

// As bytes, ASCII is matched sooner. But "ö?" as bytes makes only the last byte of ö optional.
const re2::RE2& Pattern::for_text(std::string_view text) const {
  bool fits_bytes = (is_ascii_ && is_ascii(text)) || !is_utf8(text);
  return characters_ == nullptr || fits_bytes ? *bytes_ : *characters_;
}

bool Pattern::matches(std::string_view text) const {
  return re2::RE2::PartialMatch(piece(text), for_text(text));
}

std::optional<Pattern::Match> Pattern::find(std::string_view text) const {
  std::array<re2::StringPiece, 2> parts;
  const re2::RE2& compiled = for_text(text);
  int wanted = std::min(1, compiled.NumberOfCapturingGroups()) + 1;
  bool found =
      compiled.Match(piece(text), 0, text.size(), re2::RE2::UNANCHORED, parts.data(), wanted);
  if (!found) {
    return {};
  }
  return Match{.whole = {parts[0].data(), parts[0].size()},
               .group = {parts[1].data(), parts[1].size()}};
}

std::string Pattern::replaced(std::string_view text,
                              std::string_view replacement,
                              bool everywhere) const {
  std::string result(text);
  const re2::RE2& compiled = for_text(text);
  if (everywhere) {
    re2::RE2::GlobalReplace(&result, compiled, piece(replacement));
  } else {
    re2::RE2::Replace(&result, compiled, piece(replacement));
  }
  return result;
}

Result<> Pattern::check_replacement(std::string_view replacement) const {
  std::string problem;
  if (bytes_->CheckRewriteString(piece(replacement), &problem)) {
    return {};
  }
  return fail_usage(
      "\"{}\" cannot replace a match of \"{}\": \\1 to \\9 are the texts of its {} parentheses, "
      "\\0 is the whole match, and \\\\ is a backslash.",
      short_terminal_text(replacement),
      short_terminal_text(text()),
      bytes_->NumberOfCapturingGroups());
}

const std::string& Pattern::text() const {
  return bytes_->pattern();
}

}  // namespace wick

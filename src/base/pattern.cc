// SPDX-License-Identifier: Apache-2.0
#include "base/pattern.h"

#include <algorithm>
#include <array>

#include <re2/re2.h>

#include "base/escape.h"

namespace wick {
namespace {

// Names are bytes (Latin-1 for RE2), so classes of Unicode would silently never match.
bool has_unicode_class(std::string_view expression) {
  for (size_t at = 0; at + 1 < expression.size(); ++at) {
    if (expression[at] == '\\') {
      if (expression[at + 1] == 'p' || expression[at + 1] == 'P') {
        return true;
      }
      ++at;
    }
  }
  return false;
}

}  // namespace

Pattern::Pattern(std::unique_ptr<re2::RE2> compiled) : compiled_(std::move(compiled)) {}
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

Result<Pattern> Pattern::compile(std::string_view expression) {
  if (has_unicode_class(expression)) {
    return fail_usage(
        "\"{}\" is not a regular expression: classes of Unicode (\\p) are not supported.",
        terminal_text(expression));
  }
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_encoding(re2::RE2::Options::EncodingLatin1);
  auto compiled =
      std::make_unique<re2::RE2>(re2::StringPiece(expression.data(), expression.size()), options);
  if (!compiled->ok()) {
    return fail_usage("\"{}\" is not a regular expression: {}.",
                      terminal_text(expression),
                      terminal_text(compiled->error()));
  }
  return Pattern(std::move(compiled));
}

bool Pattern::matches(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled_);
}

std::optional<Pattern::Match> Pattern::find(std::string_view text) const {
  std::array<re2::StringPiece, 2> parts;
  int wanted = std::min(1, compiled_->NumberOfCapturingGroups()) + 1;
  bool found = compiled_->Match(re2::StringPiece(text.data(), text.size()),
                                0,
                                text.size(),
                                re2::RE2::UNANCHORED,
                                parts.data(),
                                wanted);
  if (!found) {
    return {};
  }
  return Match{.whole = {parts[0].data(), parts[0].size()},
               .group = {parts[1].data(), parts[1].size()}};
}

const std::string& Pattern::text() const {
  return compiled_->pattern();
}

}  // namespace wick

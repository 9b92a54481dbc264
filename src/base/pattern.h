// SPDX-License-Identifier: Apache-2.0
// Pattern: a regular expression that is safe on untrusted names (RE2: time linear in the text, no
// recursion; std::regex overflows the stack on a name of 1 MB). It matches anywhere in the text
// unless it is anchored. In a text that is UTF-8, "." is a character; otherwise it is a byte.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace wick {

class Pattern {
 public:
  static Result<Pattern> compile(std::string_view expression);

  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;
  ~Pattern();

  bool matches(std::string_view text) const;

  // The first match; `group` is the text of the first parenthesis of the expression, if it has one.
  struct Match {
    std::string_view whole;
    std::string_view group;
  };
  std::optional<Match> find(std::string_view text) const;
  const std::string& text() const;

  // The text with its first match, or every match, replaced. In `replacement`, \1 is the text of the
  // first parenthesis and \0 the whole match. It must pass check_replacement().
  std::string replaced(std::string_view text, std::string_view replacement, bool everywhere) const;
  // An Error if the replacement refers to a parenthesis that the expression lacks.
  Result<> check_replacement(std::string_view replacement) const;

 private:
  Pattern(std::unique_ptr<re2::RE2> bytes, std::unique_ptr<re2::RE2> characters);
  const re2::RE2& for_text(std::string_view text) const;

  std::unique_ptr<re2::RE2> bytes_;
  std::unique_ptr<re2::RE2> characters_;  // null if the expression is not UTF-8
  bool is_ascii_ = true;
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Text with placeholders, as written in plans: "--threads {threads}" is filled for one point.
//
// A placeholder is a name in braces, "{threads}" or "{engine.flags}". Any other brace is text, so
// that awk's "{ print $1 }" needs no escaping; "{{threads}}" is the text "{threads}". A command
// written as one text is split into words as a shell would: quotes join words, and the value of an
// unquoted placeholder is split at blanks. A list of words is used unchanged, and a word that is
// only a placeholder may become several words (a list), or none.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace wick {

// The words for a placeholder; null if it is unknown. Several words are allowed only if the
// placeholder is a word by itself.
using PlaceholderWords = std::function<const std::vector<std::string>*(std::string_view name)>;

// Names of all placeholders, in order.
std::vector<std::string> placeholders_of(std::string_view text);

// The error names the unknown placeholder.
Result<std::string> fill_text(std::string_view text, const PlaceholderWords& words);
Result<std::vector<std::string>> fill_words(const std::vector<std::string>& list,
                                            const PlaceholderWords& words);
Result<std::vector<std::string>> fill_command_line(std::string_view line,
                                                   const PlaceholderWords& words);

}  // namespace wick

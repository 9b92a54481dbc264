// Text with holes, as plans write it: "--threads {threads}" filled for one point.
//
// A hole is a name in braces, "{threads}" or "{engine.flags}"; any other brace is text, so that
// awk's "{ print $1 }" needs no care, and "{{threads}}" is the text "{threads}". A command written
// as one text is split into words as a shell would: quotes keep words together, and what fills an
// unquoted hole is split at blanks. A list of words is taken as it is, and a word that is nothing
// but a hole may become several (a list), or none.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace wick {

// What fills a hole; null when nobody does. Several words only where the hole is a word by itself.
using HoleWords = std::function<const std::vector<std::string>*(std::string_view name)>;

// Names of all holes, in order.
std::vector<std::string> holes_of(std::string_view text);

// The Error names the hole that nobody fills.
Result<std::string> fill_text(std::string_view text, const HoleWords& words);
Result<std::vector<std::string>> fill_words(const std::vector<std::string>& list,
                                            const HoleWords& words);
Result<std::vector<std::string>> fill_command_line(std::string_view line, const HoleWords& words);

}  // namespace wick

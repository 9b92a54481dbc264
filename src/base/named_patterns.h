// SPDX-License-Identifier: Apache-2.0
// A text with one named regular expression a line, as users write them:
//
//     # a comment
//     crc     = crc32
//     logging = syslog|vsnprintf
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/pattern.h"
#include "base/result.h"

namespace wick {

struct NamedPattern {
  std::string name;
  Pattern pattern;
};

// The error names the line of the file. `what` is what a line defines ("an area"), for messages.
Result<std::vector<NamedPattern>> parse_named_patterns(std::string_view text,
                                                       std::string_view path,
                                                       std::string_view what);

}  // namespace wick

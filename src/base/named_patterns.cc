// SPDX-License-Identifier: Apache-2.0
#include "base/named_patterns.h"

#include "base/escape.h"
#include "base/lines.h"

namespace wick {

Result<std::vector<NamedPattern>> parse_named_patterns(std::string_view text,
                                                       std::string_view path,
                                                       std::string_view what) {
  std::vector<NamedPattern> patterns;
  std::string where = terminal_text(path);
  for (size_t number = 1; !text.empty(); ++number) {
    size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    line = trimmed(line.substr(0, line.find('\r')));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.starts_with('#')) {
      continue;
    }
    size_t equals = line.find('=');
    std::string_view name = trimmed(line.substr(0, equals));
    if (equals == std::string_view::npos || name.empty()) {
      return fail_usage("{}:{}: write {} as \"name = regex\".", where, number, what);
    }
    Result<Pattern> pattern = Pattern::compile(trimmed(line.substr(equals + 1)));
    if (!pattern) {
      return fail("{}:{}: {}", where, number, pattern.error().message);
    }
    patterns.push_back({std::string(name), *std::move(pattern)});
  }
  if (patterns.empty()) {
    return fail("{} does not define {}; write lines such as \"crc = crc32\".", where, what);
  }
  return patterns;
}

}  // namespace wick

#include "analyze/areas.h"

#include "base/escape.h"

namespace wick {
namespace {

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace

Result<std::vector<Area>> parse_areas(std::string_view text, std::string_view path) {
  std::vector<Area> areas;
  std::string where = terminal_text(path);
  for (size_t number = 1; !text.empty(); ++number) {
    size_t end = text.find('\n');
    std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.starts_with('#')) {
      continue;
    }
    size_t equals = line.find('=');
    std::string_view name = trim(line.substr(0, equals));
    if (equals == std::string_view::npos || name.empty()) {
      return fail_usage("{}:{}: an area is written \"name = regex\".", where, number);
    }
    Result<Pattern> pattern = Pattern::compile(trim(line.substr(equals + 1)));
    if (!pattern) {
      return fail("{}:{}: {}", where, number, pattern.error().message);
    }
    areas.push_back({std::string(name), *std::move(pattern)});
  }
  if (areas.empty()) {
    return fail("{} names no area; write lines such as \"crc = crc32\".", where);
  }
  return areas;
}

}  // namespace wick

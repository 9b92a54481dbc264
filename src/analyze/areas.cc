// SPDX-License-Identifier: Apache-2.0
#include "analyze/areas.h"

#include "base/escape.h"
#include "profile/frame_match.h"

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
      return fail_usage("{}:{}: write an area as \"name = regex\".", where, number);
    }
    Result<Pattern> pattern = Pattern::compile(trim(line.substr(equals + 1)));
    if (!pattern) {
      return fail("{}:{}: {}", where, number, pattern.error().message);
    }
    areas.push_back({std::string(name), *std::move(pattern)});
  }
  if (areas.empty()) {
    return fail("{} does not define an area; write lines such as \"crc = crc32\".", where);
  }
  return areas;
}

AreaCosts area_costs(const Profile& profile,
                     const StackCosts& costs,
                     const std::vector<Area>& areas) {
  AreaCosts result{std::vector<Cost>(areas.size()), std::vector<Cost>(areas.size()), {}};
  std::vector<bool> covered(profile.stacks.size());
  for (size_t i = 0; i < areas.size(); ++i) {
    std::vector<bool> frames = matching_frames(profile, areas[i].pattern);
    std::vector<bool> stacks = stacks_with(profile, frames);
    for (StackId stack : costs.stacks()) {
      FrameId leaf = profile.stacks.frame(stack);
      result.self[i] += leaf.valid() && frames[leaf.index()] ? costs.self(stack) : Cost();
      result.total[i] += stacks[stack.index()] ? costs.self(stack) : Cost();
      covered[stack.index()] = covered[stack.index()] || stacks[stack.index()];
    }
  }
  for (StackId stack : costs.stacks()) {
    result.none += covered[stack.index()] ? Cost() : costs.self(stack);
  }
  return result;
}

}  // namespace wick

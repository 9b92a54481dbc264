// SPDX-License-Identifier: Apache-2.0
#include "analyze/areas.h"

#include <algorithm>

#include "base/escape.h"
#include "profile/frame_match.h"

namespace wick {

Result<std::vector<Area>> parse_areas(std::string_view text, std::string_view path) {
  std::vector<Area> areas = TRY(parse_named_patterns(text, path, "an area"));
  for (auto area = areas.begin(); area != areas.end(); ++area) {
    if (std::ranges::find(areas.begin(), area, area->name, &Area::name) != area) {
      return fail_usage("{}: there is an area {} already; write one line with both patterns, a|b.",
                        terminal_text(path),
                        short_terminal_text(area->name));
    }
  }
  return areas;
}

Result<AreaOptions> parse_area_options(const FlagValues& flags) {
  AreaOptions options;
  if (flags.given("areas")) {
    options.areas = TRY(parse_areas(flags.text("areas"), flags.path("areas")));
  }
  if (flags.is_set("exclusive-areas")) {
    if (options.areas.empty()) {
      return fail_usage("--exclusive-areas needs --areas FILE, which names the areas.");
    }
    options.rule = AreaRule::kInnermost;
  }
  return options;
}

namespace {

using Flags = std::vector<bool>;

bool is_in(const Flags& frames, FrameId frame) {
  return frame.valid() && frames[frame.index()];
}

// By stack: the area of its innermost frame that is in an area, or `none`.
std::vector<size_t> innermost_areas(const Profile& profile,
                                    const std::vector<Flags>& frames,
                                    size_t none) {
  std::vector<size_t> area_of(profile.stacks.size(), none);
  for (size_t node = 1; node < area_of.size(); ++node) {
    StackId stack = StackId::from_index(node);
    FrameId frame = profile.stacks.frame(stack);
    auto own = std::ranges::find_if(frames, [&](const Flags& area) { return is_in(area, frame); });
    area_of[node] = own != frames.end() ? static_cast<size_t>(own - frames.begin())
                                        : area_of[profile.stacks.parent(stack).index()];
  }
  return area_of;
}

}  // namespace

AreaStacks area_stacks(const Profile& profile, std::span<const Area> areas, AreaRule rule) {
  AreaStacks result;
  std::vector<Flags> frames;
  for (const Area& area : areas) {
    frames.push_back(matching_frames(profile, area.pattern));
    result.unmatched.push_back(std::ranges::count(frames.back(), true) == 0);
    result.with.push_back(stacks_with(profile, frames.back()));
  }
  if (rule == AreaRule::kInnermost) {
    std::vector<size_t> area_of = innermost_areas(profile, frames, areas.size());
    for (size_t area = 0; area < areas.size(); ++area) {
      for (size_t node = 0; node < area_of.size(); ++node) {
        result.with[area][node] = area_of[node] == area;
      }
    }
  }
  result.leaves = result.with;
  result.none.resize(profile.stacks.size(), true);
  for (size_t area = 0; area < areas.size(); ++area) {
    for (size_t node = 0; node < result.none.size(); ++node) {
      FrameId leaf = profile.stacks.frame(StackId::from_index(node));
      result.leaves[area][node] = result.with[area][node] && is_in(frames[area], leaf);
      result.none[node] = result.none[node] && !result.with[area][node];
    }
  }
  return result;
}

AreaCosts area_costs(const StackCosts& costs, const AreaStacks& stacks) {
  AreaCosts result{
      std::vector<Cost>(stacks.with.size()), std::vector<Cost>(stacks.with.size()), {}};
  for (StackId stack : costs.stacks()) {
    for (size_t area = 0; area < stacks.with.size(); ++area) {
      result.self[area] += stacks.leaves[area][stack.index()] ? costs.self(stack) : Cost();
      result.total[area] += stacks.with[area][stack.index()] ? costs.self(stack) : Cost();
    }
    result.none += stacks.none[stack.index()] ? costs.self(stack) : Cost();
  }
  return result;
}

std::string unmatched_area_text(const Area& area) {
  return fmt::format(
      "--areas: the pattern {} of the area {} matches nothing: the input has no such function, "
      "file or module.",
      short_terminal_text(area.pattern.text()),
      short_terminal_text(area.name));
}

}  // namespace wick

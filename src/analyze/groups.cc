// SPDX-License-Identifier: Apache-2.0
#include "analyze/groups.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include <fmt/format.h>

#include "profile/frame_kinds.h"
#include "profile/names.h"

namespace wick {
namespace {

std::string module_or_unknown(const Profile& profile, ModuleId module) {
  std::string_view name = module_name(profile, module);
  return name.empty() ? "[unknown]" : std::string(name);
}

std::string line_name(const Profile& profile, FrameId id) {
  const Frame& frame = profile.frames[id];
  std::string_view file = profile.strings[line_file(profile, frame)];
  if (file.empty() || frame.line == 0) {
    return fmt::format("{} [no line]", frame_name(profile, id));
  }
  return fmt::format("{}:{}", file, frame.line);
}

std::string offset_name(const Profile& profile, FrameId id) {
  const Frame& frame = profile.frames[id];
  if (frame.address == 0) {
    return fmt::format("{} [no address]", frame_name(profile, id));
  }
  return fmt::format("{}+{:#x}", module_or_unknown(profile, frame.module), frame.address);
}

std::string function_offset_name(const Profile& profile, FrameId id) {
  const Frame& frame = profile.frames[id];
  if (!frame.function.valid() || frame.address == 0) {
    return frame_name(profile, id);
  }
  std::optional<uint64_t> offset = offset_in_function(profile, frame);
  return offset ? fmt::format("{}+{:#x}", frame_name(profile, id), *offset)
                : offset_name(profile, id);
}

Group describe(const Profile& profile, FrameId id, GroupBy by) {
  const Frame& frame = profile.frames[id];
  std::string module(module_name(profile, frame));
  std::string kind(frame_kind(frame));
  switch (by) {
    case GroupBy::kFunction:
      return {frame_name(profile, id), module, kind};
    case GroupBy::kModule:
      return {module.empty() ? "[unknown]" : module, "", kind};
    case GroupBy::kLine:
      return {line_name(profile, id), module, kind};
    case GroupBy::kOffset:
      return {offset_name(profile, id), "", kind};
    case GroupBy::kFunctionOffset:
      return {function_offset_name(profile, id), module, kind};
    case GroupBy::kMode:
      return {std::string(mode_name(frame.mode)), "", kind};
    case GroupBy::kLanguage:
      return {std::string(name_of(frame.language)), "", kind};
  }
  return {};
}

}  // namespace

FrameGroups::FrameGroups(const Profile& profile, GroupBy by, const RenameGroup& rename) {
  std::unordered_map<std::string, GroupId> known;
  of_frame_.reserve(profile.frames.size());
  for (size_t row = 0; row < profile.frames.size(); ++row) {
    Group group = describe(profile, FrameId::from_index(row), by);
    has_modules_ = has_modules_ || !group.module.empty();
    has_kinds_ = has_kinds_ || !group.kind.empty();
    std::string key;
    if (rename) {
      rename(group);
    } else if (by != GroupBy::kMode && by != GroupBy::kLanguage) {
      key = fmt::format(
          "{0}{1}{0}", '\0', module_path(profile, profile.frames[FrameId::from_index(row)]));
      key += by == GroupBy::kFunction && separates_namesakes(group.kind) ? group.kind : "";
    }
    key.insert(0, group.name);
    auto [entry, is_new] = known.try_emplace(std::move(key));
    if (is_new) {
      entry->second = groups_.push_back(std::move(group));
    }
    of_frame_.push_back(entry->second);
  }
  groups_.push_back({.name = "[empty stack]"});
}

std::vector<uint32_t> FrameGroups::name_ranks() const {
  std::vector<uint32_t> order(groups_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(
      order, {}, [&](uint32_t row) -> const std::string& { return groups_[GroupId(row)].name; });
  std::vector<uint32_t> ranks(order.size());
  for (uint32_t rank = 0; rank < order.size(); ++rank) {
    ranks[order[rank]] = rank;
  }
  return ranks;
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "analyze/frames_by.h"

#include <fmt/format.h>

#include "profile/map_stacks.h"
#include "profile/names.h"

namespace wick {

FramesBy parse_frames_by(std::string_view word) {
  return {.group = word == "function+offset" ? GroupBy::kFunctionOffset
                   : word == "module"        ? GroupBy::kModule
                   : word == "line"          ? GroupBy::kLine
                   : word == "language"      ? GroupBy::kLanguage
                                             : GroupBy::kFunction,
          .split_addresses = word == "both",
          .join_languages = word == "language",
          .label = key_of_by(word),
          .levels = word == "process"  ? RootLevels::kProcess
                    : word == "thread" ? RootLevels::kProcessAndThread
                                       : RootLevels::kNone};
}

Profile with_addresses_on_top(const Profile& profile) {
  Profile split = profile;
  StringInterner strings(std::move(split.strings));
  std::vector<FrameId> on_top_of(profile.frames.size());  // the frame to put on top of each frame
  for (size_t row = 0; row < on_top_of.size(); ++row) {
    FrameId id = FrameId::from_index(row);
    const Frame& frame = profile.frames[id];
    std::optional<uint64_t> offset = offset_in_function(profile, frame);
    if (!offset || (frame.flags & kInlined) != 0) {
      continue;
    }
    std::string name = fmt::format("{}+{:#x}", frame_name(profile, id), *offset);
    Function address = profile.functions[frame.function];
    address.name = strings.intern(name);
    Frame on_top = frame;
    on_top.function = split.functions.push_back(address);
    on_top_of[row] = split.frames.push_back(on_top);
  }
  split.strings = strings.release();

  map_stacks(split, [&](StackInterner& stacks, StackId parent, StackId old) {
    FrameId frame = split.stacks.frame(old);
    StackId stack = stacks.intern(parent, frame);
    FrameId on_top = on_top_of[frame.index()];
    return on_top.valid() ? stacks.intern(stack, on_top) : stack;
  });
  return split;
}

Profile with_languages_joined(const Profile& profile) {
  Profile joined = profile;
  map_stacks(joined, [&](StackInterner& stacks, StackId parent, StackId old) {
    FrameId frame = joined.stacks.frame(old);
    StackId above = joined.stacks.parent(old);
    bool continues = above != kEmptyStack && joined.frames[joined.stacks.frame(above)].language ==
                                                 joined.frames[frame].language;
    return continues ? parent : stacks.intern(parent, frame);
  });
  return joined;
}

}  // namespace wick

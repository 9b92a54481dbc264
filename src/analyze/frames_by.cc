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
                                             : GroupBy::kFunction,
          .split_places = word == "both",
          .label = open_part(word, kByLabel)};
}

Profile with_places_on_top(const Profile& profile) {
  Profile split = profile;
  StringInterner strings(std::move(split.strings));
  std::vector<FrameId> places(profile.frames.size());  // the frame to put on top of each frame
  for (size_t row = 0; row < places.size(); ++row) {
    FrameId id = FrameId::from_index(row);
    const Frame& frame = profile.frames[id];
    uint64_t start = frame.function.valid() ? profile.functions[frame.function].address : 0;
    if (start == 0 || frame.address < start || (frame.flags & kInlined) != 0) {
      continue;
    }
    std::string name = fmt::format("{}+{:#x}", frame_name(profile, id), frame.address - start);
    Function place = profile.functions[frame.function];
    place.name = strings.intern(name);
    Frame on_top = frame;
    on_top.function = split.functions.push_back(place);
    places[row] = split.frames.push_back(on_top);
  }
  split.strings = strings.release();

  map_stacks(split, [&](StackInterner& stacks, StackId parent, StackId old) {
    FrameId frame = split.stacks.frame(old);
    StackId stack = stacks.intern(parent, frame);
    FrameId place = places[frame.index()];
    return place.valid() ? stacks.intern(stack, place) : stack;
  });
  return split;
}

}  // namespace wick

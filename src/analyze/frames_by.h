// What a frame of a tree or picture stands for, as --by says it.
//
//     function          all places in a function are one frame
//     function+offset   each place is a frame of its own: switch+0x4c
//     both              a function, and on top of it the place: switch, then switch+0x4c
//     module, line      files; source lines
#pragma once

#include <optional>
#include <string_view>

#include "analyze/groups.h"
#include "base/flags.h"

namespace wick {

inline constexpr Flag kFramesByFlag = {
    .name = "by",
    .letter = 'b',
    .kind = FlagKind::kChoice,
    .value = "function|function+offset|both|module|line",
    .fallback = "function",
    .help = "what a frame is; both puts the place on top of its function"};

// How frames are merged once `split_places` is done, if it is to be.
struct FramesBy {
  GroupBy group = GroupBy::kFunction;
  bool split_places = false;
};
FramesBy parse_frames_by(std::string_view word);

// The profile in which every frame with a known place in a function is two: the function, and on
// top of it one that is named after the place.
Profile with_places_on_top(const Profile& profile);

}  // namespace wick

// What a frame of a tree or picture is, as --by says it.
//
//     function          all addresses in a function are one frame
//     function+offset   each address is a frame of its own: switch+0x4c
//     both              a function, and on top of it the address: switch, then switch+0x4c
//     module, line      files; source lines
//     label:KEY         functions, below one root for each value of the label (label_groups.h)
#pragma once

#include <optional>
#include <string_view>

#include "analyze/groups.h"
#include "analyze/label_groups.h"
#include "base/flags.h"
#include "base/result.h"

namespace wick {

inline constexpr Flag kFramesByFlag = {
    .name = "by",
    .letter = 'b',
    .kind = FlagKind::kChoice,
    .value = "function|function+offset|both|module|line|label:KEY",
    .fallback = "function",
    .help =
        "what a frame is; both: the address on top of its function, label: the label's value at "
        "the root"};

// How frames are merged once `split_places` is done, if it is to be.
struct FramesBy {
  GroupBy group = GroupBy::kFunction;
  bool split_places = false;
  std::string_view label = {};  // key; empty for none
};
FramesBy parse_frames_by(std::string_view word);

// The profile in which every frame with a known place in a function is two: the function, and on
// top of it one that is named after the place.
Profile with_places_on_top(const Profile& profile);

// use(profile) for the profile whose frames are as asked for, once they are grouped by `by.group`.
template <typename Use>
auto with_frames_by(const Profile& profile, const FramesBy& by, Use use) -> decltype(use(profile)) {
  if (by.split_places) {
    return use(with_places_on_top(profile));
  }
  return by.label.empty() ? use(profile) : use(TRY(with_labels_at_root(profile, by.label)));
}

}  // namespace wick

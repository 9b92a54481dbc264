// SPDX-License-Identifier: Apache-2.0
// The meaning of a frame in a tree or picture, as chosen with --by.
//
//     function          all addresses in a function are one frame
//     function+offset   each address is a separate frame: switch+0x4c
//     both              a function, and on top of it the address: switch, then switch+0x4c
//     module, line      files; source lines
//     language          one frame for each run of frames in one language
//     process, thread   functions, below their process, or below their process and thread
//     label:KEY, gil, task    functions, below one root for each value of the label (label_groups.h)
#pragma once

#include <optional>
#include <string_view>

#include "analyze/groups.h"
#include "analyze/label_groups.h"
#include "analyze/root_levels.h"
#include "base/flags.h"
#include "base/result.h"

namespace wick {

inline constexpr Flag kFramesByFlag = {
    .name = "by",
    .letter = 'b',
    .kind = FlagKind::kChoice,
    .value = "function|function+offset|both|module|line|language|process|thread|gil|task|label:KEY",
    .fallback = "function",
    .help =
        "group frames by; both: the address on top of its function; process, thread, gil, task, "
        "label: "
        "functions with the process, the thread too, or the label's value at the root"};

// How to merge frames, after `split_addresses` or `join_languages` if one is set.
struct FramesBy {
  GroupBy group = GroupBy::kFunction;
  bool split_addresses = false;
  bool join_languages = false;
  std::string_view label = {};  // key; empty for none
  RootLevels levels = RootLevels::kNone;
};
FramesBy parse_frames_by(std::string_view word);

// A profile in which every frame with a known address in a function becomes two frames: the
// function, and on top of it a frame named after the address.
Profile with_addresses_on_top(const Profile& profile);

// A profile in which adjacent frames in one language are the outermost of them.
Profile with_languages_joined(const Profile& profile);

// Calls use(profile) with a profile whose frames have the requested meaning after grouping by
// `by.group`.
template <typename Use>
auto with_frames_by(const Profile& profile, const FramesBy& by, Use use) -> decltype(use(profile)) {
  if (by.split_addresses) {
    return use(with_addresses_on_top(profile));
  }
  if (by.join_languages) {
    return use(with_languages_joined(profile));
  }
  if (by.levels != RootLevels::kNone) {
    return use(TRY(with_threads_at_root(profile, by.levels)));
  }
  return by.label.empty() ? use(profile) : use(TRY(with_labels_at_root(profile, by.label)));
}

}  // namespace wick

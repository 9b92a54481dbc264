// SPDX-License-Identifier: Apache-2.0
// Groups of frames are the rows of a table, by function, module, line and so on. A frame belongs to
// one group. A group has a name and, if it is a function, its module.
//
// Frames that differ only in address or line are one function. Frames with the same name in two
// modules are two functions. The module of a Python function is its source file.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/prefix_tree.h"
#include "profile/profile.h"

namespace wick {

using GroupId = Id<struct GroupTag>;

enum class GroupBy { kFunction, kModule, kLine, kOffset, kFunctionOffset, kMode, kLanguage };

struct Group {
  std::string name;
  std::string module;  // empty when unknown
  std::string kind;    // frame_kind() of its frames
};

// Gives a group the name under which it is compared with groups of other profiles.
using RenameGroup = std::function<void(Group&)>;

class FrameGroups {
 public:
  FrameGroups(const Profile& profile, GroupBy by) : FrameGroups(profile, by, nullptr) {}
  // With new names. Groups are then distinguished by name only: modules differ from build to build,
  // and not every input knows kinds.
  FrameGroups(const Profile& profile, GroupBy by, const RenameGroup& rename);

  // The group of a frame. No frame (the empty stack) has the group "[empty stack]".
  GroupId of(FrameId frame) const {
    return frame.valid() ? of_frame_[frame.index()] : GroupId::from_index(groups_.size() - 1);
  }
  const Group& operator[](GroupId group) const { return groups_[group]; }
  size_t size() const { return groups_.size(); }
  bool has_modules() const { return has_modules_; }
  bool has_kinds() const { return has_kinds_; }
  // True when no two frames share a group, as in folded text.
  bool one_frame_each() const { return groups_.size() == of_frame_.size() + 1; }
  // The rank of each group when sorted by name, so that numbers can be compared instead of names.
  std::vector<uint32_t> name_ranks() const;

 private:
  std::vector<GroupId> of_frame_;
  IdVector<GroupId, Group> groups_;
  bool has_modules_ = false;
  bool has_kinds_ = false;
};

}  // namespace wick

// Groups of frames: the rows of a table, whatever they are by. A frame belongs to one group; a
// group has a name and, where it is a function, the module it lives in.
//
// Frames that differ only in address or line are one function; frames of equal name in two modules
// are two.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/prefix_tree.h"
#include "profile/profile.h"

namespace wick {

using GroupId = Id<struct GroupTag>;

enum class GroupBy { kFunction, kModule, kLine, kOffset, kFunctionOffset, kMode };

struct Group {
  std::string name;
  std::string module;  // empty when unknown
  std::string kind;    // frame_kind() of its frames
};

// Gives a group the name under which it is compared with those of other profiles.
using RenameGroup = std::function<void(Group&)>;

class FrameGroups {
 public:
  FrameGroups(const Profile& profile, GroupBy by) : FrameGroups(profile, by, nullptr) {}
  // With new names, which alone tell groups apart: modules differ from build to build, and not
  // every input knows kinds.
  FrameGroups(const Profile& profile, GroupBy by, const RenameGroup& rename);

  // The group of a frame; of no frame (the empty stack) the group "[empty stack]".
  GroupId of(FrameId frame) const {
    return frame.valid() ? of_frame_[frame.index()] : GroupId::from_index(groups_.size() - 1);
  }
  const Group& operator[](GroupId group) const { return groups_[group]; }
  size_t size() const { return groups_.size(); }
  bool has_modules() const { return has_modules_; }
  bool has_kinds() const { return has_kinds_; }
  // True when no two frames share a group, as in folded text.
  bool one_frame_each() const { return groups_.size() == of_frame_.size() + 1; }
  // The place of each group when all are sorted by name, to compare numbers instead of names.
  std::vector<uint32_t> name_ranks() const;

 private:
  std::vector<GroupId> of_frame_;
  IdVector<GroupId, Group> groups_;
  bool has_modules_ = false;
  bool has_kinds_ = false;
};

}  // namespace wick

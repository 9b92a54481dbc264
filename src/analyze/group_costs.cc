// SPDX-License-Identifier: Apache-2.0
// One walk over the stack tree. `running` is the cost seen so far. Its growth between entering and
// leaving the outermost frame of a group is that group's total. So recursion counts once, and no
// totals of single nodes are stored.
#include "analyze/group_costs.h"

namespace wick {

GroupCosts group_costs(const Profile& profile, const StackCosts& costs, const FrameGroups& groups) {
  GroupCosts result{std::vector<Cost>(groups.size()), std::vector<Cost>(groups.size())};
  std::vector<uint32_t> depth_on_path(groups.size());
  std::vector<Cost> at_entry(groups.size());
  Cost running;
  auto group_of = [&](StackId node) { return groups.of(profile.stacks.frame(node)).index(); };
  StackChildren(profile.stacks)
      .walk(
          [&](StackId node) {
            size_t group = group_of(node);
            if (node != kEmptyStack && depth_on_path[group]++ == 0) {
              at_entry[group] = running;
            }
            Cost self = costs.self(node);
            running += self;
            result.self[group] += self;
          },
          [&](StackId node) {
            size_t group = group_of(node);
            if (node != kEmptyStack && --depth_on_path[group] == 0) {
              result.total[group] += running - at_entry[group];
            }
          });
  // The empty stack is a group for its own samples only.
  size_t empty = groups.of(FrameId()).index();
  result.total[empty] = result.self[empty];
  return result;
}

}  // namespace wick

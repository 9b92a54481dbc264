// SPDX-License-Identifier: Apache-2.0
// Samples grouped by the value of one label: `--by label:KEY`, or `--by gil` and `--by task`.
//
// Every sample belongs to one group, so that the groups add up to the whole. Group 0 has the
// samples without the label. A sample with several values belongs to the group of all its values,
// "a, b". Only the first eight values count, so that the work and the names stay linear in the
// number of label sets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyze/root_levels.h"
#include "base/flags.h"
#include "base/result.h"
#include "profile/profile.h"

namespace wick {

// The prefix of the key: --by label:KEY.
inline constexpr std::string_view kByLabel = "label:";
// Short for --by label:gil: how the thread used the lock of its interpreter.
inline constexpr std::string_view kByGil = "gil";
// Short for --by label:task: the task that the thread ran.
inline constexpr std::string_view kByTask = "task";
// The key that a value of --by names; empty if it is not about labels.
constexpr std::string_view key_of_by(std::string_view by) {
  return by == kByGil || by == kByTask ? by : open_part(by, kByLabel);
}

// An error if no label has the key. It lists the labels that exist.
Result<> check_label(const Profile& profile, std::string_view key);

class LabelGroups {
 public:
  // The profile must outlive the groups. If no label has the key, all samples are in group 0.
  LabelGroups(const Profile& profile, std::string_view key);

  size_t size() const { return values_.size(); }
  size_t of(LabelSetId labels) const { return of_set_[labels.index()].index(); }
  // "value", or "[no KEY]" for group 0.
  std::string name(size_t group) const;

 private:
  using Values = PrefixTree<Id<struct LabelGroupTag>, LabelId>;

  const Profile& profile_;
  std::string key_;
  Values values_;                     // the values of each group
  std::vector<Values::Node> of_set_;  // by set of labels
};

// A profile in which every stack has one more frame at its root, named after the sample's value:
// "KEY=value", or "[no KEY]". An error if no label has the key, or if the result needs more than
// `most_stacks` new nodes of the stack tree: deep stacks times many values.
Result<Profile> with_labels_at_root(const Profile& profile,
                                    std::string_view key,
                                    size_t most_stacks = kMaxRootedStacks);

}  // namespace wick

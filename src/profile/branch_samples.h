// SPDX-License-Identifier: Apache-2.0
// Branches as samples: for `--event branches` and `--event branch-misses` where a profile has branch
// stacks, but no such event.
#pragma once

#include <string_view>

#include "profile/profile.h"

namespace wick {

inline constexpr std::string_view kBranchesEvent = "branches";
inline constexpr std::string_view kBranchMissesEvent = "branch-misses";

// Whether the event can be made from the branch stacks of the profile, and no recorded event has
// its name.
bool is_made_of_branches(const Profile& profile, std::string_view event);

// Replaces the samples by the branches of their branch stacks, or by those that were mispredicted:
// a weight of 1 each, at the address of the branch, with the time and thread of the sample. Who
// called that code is not known.
Profile as_branch_samples(Profile profile, std::string_view event);

}  // namespace wick

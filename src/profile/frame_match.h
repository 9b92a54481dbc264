// SPDX-License-Identifier: Apache-2.0
// Finds the frames that a pattern matches: by function name, source file or module. Filters and
// areas use it. The pattern sees each name once, not once for each frame or sample, so hostile
// names cost little.
#pragma once

#include <vector>

#include "base/pattern.h"
#include "profile/profile.h"

namespace wick {

// One flag for each frame.
std::vector<bool> matching_frames(const Profile& profile, const Pattern& pattern);

// One flag for each stack: whether it contains a matching frame.
std::vector<bool> stacks_with(const Profile& profile, const std::vector<bool>& frames);

}  // namespace wick

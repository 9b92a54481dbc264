// SPDX-License-Identifier: Apache-2.0
// Which frames a pattern matches: by function name, source file or module. Filters and areas use
// it.
#pragma once

#include <vector>

#include "base/pattern.h"
#include "profile/profile.h"

namespace wick {

// One flag for each frame. Every function, file and module is matched only once.
std::vector<bool> matching_frames(const Profile& profile, const Pattern& pattern);

// One flag for each stack: whether it contains a matching frame.
std::vector<bool> stacks_with(const Profile& profile, const std::vector<bool>& frames);

}  // namespace wick

// Which frames a pattern matches: by function name, source file or module, as filters and areas
// mean it.
#pragma once

#include <vector>

#include "base/pattern.h"
#include "profile/profile.h"

namespace wick {

// One flag for each frame; every function, file and module is matched once.
std::vector<bool> matching_frames(const Profile& profile, const Pattern& pattern);

// One flag for each stack: whether a matching frame is anywhere in it.
std::vector<bool> stacks_with(const Profile& profile, const std::vector<bool>& frames);

}  // namespace wick

// The canonical text of a profile: its samples with their stacks, its events, facts, losses and
// timeline, in an order that does not depend on ids. Tests compare dumps, people read them. It
// leaves out what no view shows yet: linkage names, build ids and where functions begin.
#pragma once

#include <string>

#include "profile/profile.h"

namespace wick {

std::string dump(const Profile& profile);

}  // namespace wick

// The canonical text of a profile: every fact it holds, in an order that does not depend on ids.
// Two profiles with the same dump are the same profile; tests compare dumps, people read them.
#pragma once

#include <string>

#include "profile/profile.h"

namespace wick {

std::string dump(const Profile& profile);

}  // namespace wick

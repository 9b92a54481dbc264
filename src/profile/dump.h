// The canonical text of a profile: its samples with their stacks, its events, facts, losses and
// timeline, in an order that does not depend on ids. Tests compare dumps, people read them.
//
// Columns that have no words of their own here are added as `name=value` wherever they say anything
// (schema.h), so a new column shows without a change to this file. Left out are linkage names,
// build ids and where functions begin.
#pragma once

#include <string>

#include "profile/profile.h"

namespace wick {

std::string dump(const Profile& profile);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// The canonical text of a profile: its samples with their stacks, its events, facts, losses and
// timeline, in an order that does not depend on ids. Tests compare dumps, and people read them.
//
// Columns without a format of their own appear as `name=value` when they differ from their initial
// value (schema.h). So a new column appears without a change to this file. Linkage names, build ids
// and the start addresses of functions are left out.
#pragma once

#include <string>

#include "profile/profile.h"

namespace wick {

std::string dump(const Profile& profile);

}  // namespace wick

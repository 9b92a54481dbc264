// SPDX-License-Identifier: Apache-2.0
// The canonical text of a profile: its samples with their stacks and labels, functions with their
// linkage names and addresses, modules with their build ids, mappings, events, facts, losses and
// timeline, in an order that does not depend on ids. Tests compare dumps, and developers read them.
//
// A column without a special format appears as `name=value` if it differs from its initial value
// (schema.h). So a new column appears without a change to this file.
#pragma once

#include <string>

#include "profile/profile.h"

namespace wick {

std::string dump(const Profile& profile);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Replaces the names of a profile by their short forms (base/short_name.h). Only for a profile that
// wick shows and then discards: files never contain short names.
#pragma once

#include "profile/profile.h"

namespace wick {

void shorten_names(Profile& profile);

}  // namespace wick

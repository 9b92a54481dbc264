// SPDX-License-Identifier: Apache-2.0
// Where a profile comes from, for the headings of pictures: a picture is passed on without the
// command that drew it.
#pragma once

#include <string>

#include "profile/profile.h"

namespace wick {

// The recorded command; without one the name of the only process; empty if there are several.
std::string recorded_command(const Profile& profile);

// "on alpha, 2026-11-18 10:00:21 UTC, only --thread worker": host, date and filter, as far as the
// profile knows them.
std::string origin_text(const Profile& profile);

}  // namespace wick

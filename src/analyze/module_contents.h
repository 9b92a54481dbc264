// The contents of a profile by module: samples, frames, and how many of them have names. This shows
// which missing file would add most information.
#pragma once

#include "profile/profile.h"
#include "report/report.h"

namespace wick {

// One row for each module with frames, most samples first.
Table module_contents(const Profile& profile);

}  // namespace wick

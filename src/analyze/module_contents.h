// What a profile holds of each module: samples, frames, how many of them have names. It answers
// which file would have to be found to know more.
#pragma once

#include "profile/profile.h"
#include "report/report.h"

namespace wick {

// One row for each module with frames, most samples first.
Table module_contents(const Profile& profile);

}  // namespace wick

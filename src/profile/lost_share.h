// SPDX-License-Identifier: Apache-2.0
// The missing part of an input, as one number to compare with the user's limit.
//
//     lost samples       compared with the samples in the profile
//     lost weight        compared with the weight of the same event
//     lost lines         compared with rows
//
// The result is the largest of these shares. It is unknown if a loss has no count, or if no row
// measures the damage.
#pragma once

#include <string>

#include "profile/profile.h"

namespace wick {

// 0: nothing is lost; 1: unknown; else the largest share.
double lost_share(const Profile& profile);

// The `what` of a loss row that counts an event's weight. Readers write it, and lost_share()
// searches it.
std::string lost_weight_of(const Profile& profile, EventId event);

}  // namespace wick

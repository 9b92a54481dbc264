// SPDX-License-Identifier: Apache-2.0
// How much of an input is missing, as one number that can be compared with a limit set by the user.
//
// The loss table counts different things. Lost samples are compared with the samples in the
// profile, lost weight of an event with that event's weight, lost lines with rows. The largest
// share is the result. The result is unknown if there is damage that no such row measures, or loss
// without a count.
#pragma once

#include <string>

#include "profile/profile.h"

namespace wick {

// 0 for nothing, 1 for unknown, else the share of the worst reason.
double lost_share(const Profile& profile);

// The `what` of a loss row that counts an event's weight. Readers write it, and lost_share() looks
// for it.
std::string lost_weight_of(const Profile& profile, EventId event);

}  // namespace wick

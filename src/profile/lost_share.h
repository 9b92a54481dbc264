// How much of an input is missing, as one number that can be compared with what a user allows.
//
// The loss table counts different things. Samples are compared with the samples that are there, the
// weight of an event with that event's weight, lines with rows; the worst of them counts. Damage
// that no such row measures, and loss that nobody can count, make the answer unknown.
#pragma once

#include <string>

#include "profile/profile.h"

namespace wick {

// 0 for nothing, 1 for "nobody can know", else the share of the worst reason.
double lost_share(const Profile& profile);

// What a loss row says when it counts an event's weight; readers use it, lost_share() looks for it.
std::string lost_weight_of(const Profile& profile, EventId event);

}  // namespace wick

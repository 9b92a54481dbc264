// What must hold in every profile: the invariants of profile.h, checked.
//
// Foreign data decides ids, parents and sums, so every reader ends with validate(); analyses and
// views then index tables without looking. One pass over each table, nothing allocated. It is not a
// judgement of quality: a profile full of loss is valid.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "profile/profile.h"

namespace wick {

// Readers keep the sum of all weights below this: nothing that a view adds up then overflows.
inline constexpr uint64_t kMostTotalWeight = uint64_t{1} << 62;

// The first broken invariant, as a sentence.
Result<> validate(const Profile& profile);

}  // namespace wick

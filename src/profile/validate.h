// SPDX-License-Identifier: Apache-2.0
// Checks the invariants of profile.h.
//
// Ids, parents and sums come from untrusted data, so every reader ends with validate(). Analyses
// and views then index tables without range checks. The check is one pass over each table and
// allocates nothing. It does not judge quality: a profile full of loss is valid.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "profile/profile.h"

namespace wick {

// Readers must limit the sum of all weights to less than this, so that no sum in a view overflows.
inline constexpr uint64_t kMaxTotalWeight = uint64_t{1} << 62;

// The first broken invariant, as a sentence.
Result<> validate(const Profile& profile);

}  // namespace wick

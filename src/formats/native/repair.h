// SPDX-License-Identifier: Apache-2.0
// Repair: turns the rows that arrived into a valid profile.
//
// Gaps stay, because ids are row numbers, and are named "[damaged]". A reference to a gap or past
// the end of its table goes to one such row, shared by all, so that a lost name shows as one box
// and not as a thousand. Samples always retain their weight: a lost stack becomes the stack of one
// "[damaged]" frame; a stack with a lost parent has its own frames on top of that. Lost spans,
// label sets and branch stacks are left out.
//
// profile/schema.h says what a table's columns refer to. For an undamaged file, repair changes
// nothing and adds nothing.
#pragma once

#include <cstdint>

#include "formats/native/assembly.h"
#include "profile/profile.h"

namespace wick::native {

inline constexpr std::string_view kDamagedName = "[damaged]";

struct Repaired {
  Profile profile;
  uint64_t references = 0;       // references to rows that do not exist
  uint64_t unknown_values = 0;   // modes, origins and flags that only a newer wick knows
  uint64_t damaged_samples = 0;  // whose stack has lost frames
  uint64_t backward_spans = 0;   // spans that ended before they began
};

Repaired repair(Assembly assembly);

}  // namespace wick::native

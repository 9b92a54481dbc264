// Repair: turns what has arrived into a valid profile.
//
// Holes stay where they are, because ids are row numbers, and are named "[damaged]". A reference
// into a hole or past the end of its table goes to one such row, shared by all, so that a lost name
// shows as one box and not as a thousand. Samples always keep their weight: a lost stack becomes
// the stack of one "[damaged]" frame; a stack whose parent is lost keeps its own frames on top of
// it. Spans, sets of labels and branch stacks that are lost are left out.
//
// What a table's columns refer to comes from profile/schema.h. For a whole file this changes
// nothing and adds nothing.
#pragma once

#include <cstdint>

#include "formats/native/assembly.h"
#include "profile/profile.h"

namespace wick::native {

inline constexpr std::string_view kDamagedName = "[damaged]";

struct Repaired {
  Profile profile;
  uint64_t references = 0;       // that pointed to rows that are not there
  uint64_t unknown_values = 0;   // modes, origins and flags that only a newer wick knows
  uint64_t damaged_samples = 0;  // whose stack has lost frames
  uint64_t backward_spans = 0;   // that ended before they began
};

Repaired repair(Assembly assembly);

}  // namespace wick::native

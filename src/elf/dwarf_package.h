// SPDX-License-Identifier: Apache-2.0
// The units of a package of split units (.dwp): all .dwo files of a program in one file.
//
// Sections of the same kind are concatenated. .debug_cu_index gives, for each unit (by the id that
// it shares with its skeleton), the position of its part of each section:
//
//     version, columns, units, slots
//     id[slots], row[slots]      a hash table with open addressing; row 0 is an empty slot
//     section[columns]
//     offset[units][columns], size[units][columns]
#pragma once

#include <optional>
#include <vector>

#include "base/bytes.h"
#include "elf/dwarf_unit.h"

namespace wick {

// The unit with that id, with its offsets and bases set to its parts of the sections; or none.
std::optional<DwarfUnit> packaged_unit(Bytes index,
                                       const std::vector<DwarfUnit>& units,
                                       uint64_t split_id);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// The scope of an entry: the namespaces, types and functions that enclose it,
// "a::main::<lambda()>".
//
// The linkage name of a function contains its scope. Functions without one, mostly lambdas and
// members of local types, are only called "operator()", and a table would add them all up. Entries
// do not know their parents, so this code searches the way down from the unit's root and jumps over
// everything that ends before the entry; if the compiler did not record ends, it walks entry by
// entry. It handles all entries of a unit together: one by one took 18 ms of the 30 that the names
// of 16,000 functions took.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "elf/dwarf_abbreviations.h"
#include "elf/dwarf_unit.h"

namespace wick {

// Whether the unit's language has scopes that linkage names may lack.
bool has_scopes(const DwarfUnit& unit);

// The scope of each entry (ascending); empty if nothing encloses it, or if it is not in the unit.
// One pass serves all entries. Sets `read` to the number of bytes read.
std::vector<std::string> enclosing_scopes(const DwarfUnit& unit,
                                          const Abbreviations& abbreviations,
                                          std::span<const uint64_t> entries,
                                          uint64_t& read);

}  // namespace wick

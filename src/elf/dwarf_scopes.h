// The scope of an entry: the namespaces, types and functions that enclose it,
// "a::main::<lambda()>".
//
// Functions with a linkage name have their scope in it. The others, mostly lambdas and members of
// local types, are called "operator()" and nothing else, and a table would add them all up. Entries
// do not know their parents, so the way down from the unit's root is looked for, past everything
// that ends before the entry; where the compiler did not write down ends, entry by entry.
#pragma once

#include <cstdint>
#include <string>

#include "elf/dwarf_abbreviations.h"
#include "elf/dwarf_unit.h"

namespace wick {

// Whether names of the unit's language have scopes that linkage names may lack.
bool has_scopes(const DwarfUnit& unit);

// Empty when nothing encloses the entry, or it is not in the unit. `read` is how many bytes that
// took.
std::string enclosing_scope(const DwarfUnit& unit,
                            const Abbreviations& abbreviations,
                            uint64_t entry,
                            uint64_t& read);

}  // namespace wick

// The scope of an entry: the namespaces, types and functions that enclose it,
// "a::main::<lambda()>".
//
// Functions with a linkage name have their scope in it. The others, mostly lambdas and members of
// local types, are called "operator()" and nothing else, and a table would add them all up. Entries
// do not know their parents, so the way down from the unit's root is looked for, past everything
// that ends before the entry; where the compiler did not write down ends, entry by entry.
// So all entries of a unit are asked for together: one by one took 18 ms of the 30 that the names
// of 16,000 functions took.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "elf/dwarf_abbreviations.h"
#include "elf/dwarf_unit.h"

namespace wick {

// Whether names of the unit's language have scopes that linkage names may lack.
bool has_scopes(const DwarfUnit& unit);

// For each of the entries, which ascend; empty when nothing encloses it, or it is not in the unit.
// One way down serves them all. `read` is how many bytes that took.
std::vector<std::string> enclosing_scopes(const DwarfUnit& unit,
                                          const Abbreviations& abbreviations,
                                          std::span<const uint64_t> entries,
                                          uint64_t& read);

}  // namespace wick

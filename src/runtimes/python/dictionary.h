// SPDX-License-Identifier: Apache-2.0
// Reads the dictionaries of a CPython process: those of modules, and others that have their values in
// their table.
//
//     dictionary   -> table
//     table        its size, number of entries, the indices of a hash table, entries
//     entry        hash, key, value; since 3.11, without the hash if all keys are text
//
// An entry that was removed has no value. Indices have one byte each in small tables, and more in
// larger ones, so the entries begin where the size of the table says.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "runtimes/interpreter.h"
#include "runtimes/python/layout.h"

namespace wick::python {

struct DictionaryTable {
  static constexpr uint32_t kTable = 32;   // in the dictionary: the pointer to the table
  static constexpr uint32_t kValues = 40;  // and to the values, if they are not in the table

  uint64_t address = 0;
  uint64_t entries = 0;      // the number of them
  uint32_t first = 0;        // offset of the first entry
  uint32_t entry_bytes = 0;  // 24 with hashes, else 16
};
// The offset of the number of entries in a table.
uint32_t entries_offset(const Layout::Object& layout);
// A table by its own address. None if the memory is not one.
std::optional<DictionaryTable> table_at(InterpreterMemory& memory,
                                        const Layout::Object& layout,
                                        uint64_t address);
// That of a dictionary. None if it has no values in its table.
std::optional<DictionaryTable> read_table(InterpreterMemory& memory,
                                          const Layout::Object& layout,
                                          uint64_t dictionary);

struct DictionaryEntry {
  uint64_t key = 0;
  uint64_t value = 0;
};
// The last entries that were not removed, at most so many, the newest first.
std::vector<DictionaryEntry> last_entries(InterpreterMemory& memory,
                                          const DictionaryTable& table,
                                          size_t most);
// Which entry has a key of ASCII characters; none if there is none. The search ends after `most`.
std::optional<size_t> find_key(InterpreterMemory& memory,
                               const Layout::Object& layout,
                               const DictionaryTable& table,
                               std::string_view key,
                               size_t most);
// The value of a key of ASCII characters; 0 if there is none.
uint64_t find_value(InterpreterMemory& memory,
                    const Layout::Object& layout,
                    const DictionaryTable& table,
                    std::string_view key);

}  // namespace wick::python

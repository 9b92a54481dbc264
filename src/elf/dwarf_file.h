// SPDX-License-Identifier: Apache-2.0
// DwarfFile: the units of one file with debug information.
//
// The debug information of a program may be in several files that refer to each other: the program
// or its debug file, split units (.dwo files next to the object files, or all together in a .dwp),
// and the file to which dwz moved shared entries. Each is a DwarfFile; DwarfInfo (dwarf_info.h)
// combines them.
//
// The constructor reads the headers of all units and, except for split ones, their root entries: a
// few hundred bytes a unit. Abbreviations are read when they are first needed. All threads may use
// it at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "elf/dwarf_abbreviations.h"
#include "elf/dwarf_ranges.h"
#include "elf/dwarf_sections.h"
#include "elf/dwarf_unit.h"

namespace wick {

class DwarfFile;

// The position of an entry.
struct DwarfEntry {
  DwarfFile* file = nullptr;
  const DwarfUnit* unit = nullptr;
  uint64_t offset = 0;  // in .debug_info
};

// The information about a function in its entry, and in the entries that it refers to.
struct FunctionEntry {
  std::string_view name;          // as written in the source, without scope
  std::string_view linkage_name;  // mangled; empty in C
  std::string_view scope;         // of C++ functions without linkage name (dwarf_scopes.h)
  uint32_t declared_line = 0;
  uint32_t declared_file = 0;
  const DwarfUnit* declared_unit = nullptr;  // the unit whose file numbers apply; null: none
  DwarfEntry scoped;                         // entry whose scope is still missing; no unit: none
};

class DwarfFile {
 public:
  // kShared: a file of entries that dwz moved has no code. Its header says that it is relocatable,
  // but it contains nothing to relocate.
  enum class Kind : uint8_t { kWhole, kSplit, kShared };

  // Image and alternate must outlive the file. `alternate` may be null.
  DwarfFile(const ElfImage& image, Kind kind, DwarfFile* alternate);

  DwarfLimits& limits() { return limits_; }
  const DwarfLimits& limits() const { return limits_; }

  // In the order of the file.
  const std::vector<DwarfUnit>& units() const { return units_; }
  // The addresses of each unit, owned by its number.
  const std::vector<OwnedRange>& unit_ranges() const { return unit_ranges_; }

  // The unit with the skeleton's id, completed from the skeleton. Only in split files.
  std::optional<DwarfUnit> split_unit(const DwarfUnit& skeleton);

  // Null if there is none, or if the limit of work is reached.
  const Abbreviations* abbreviations(const DwarfUnit& unit);
  // `unit` refers to the entry and is completed from its skeleton. The scope is left to
  // add_scopes(), which is fast for many functions at once.
  FunctionEntry function_entry(const DwarfUnit& unit, uint64_t entry);
  static void add_scopes(std::span<FunctionEntry> functions);

 private:
  void read_roots();
  void read_aranges();
  void set_split_bases(DwarfUnit& unit) const;
  uint32_t language_of(DwarfUnit unit);
  const DwarfUnit* unit_of(uint64_t entry) const;
  // The target of a reference in an entry of the unit; has no unit if it leads nowhere.
  DwarfEntry target(const DwarfUnit& unit, const DwarfValue& reference);
  // Adds the information of one entry; returns the entry that it refers to.
  DwarfValue add_entry(const DwarfUnit& unit, uint64_t entry, FunctionEntry& found);
  // `entries` belong to one unit and ascend.
  std::vector<std::string_view> scopes_of(const DwarfUnit& unit, std::span<const uint64_t> entries);

  DwarfSections sections_;
  DwarfLimits limits_;
  AbbreviationCache cache_;
  DwarfFile* alternate_;
  std::vector<DwarfUnit> units_;                                 // by offset
  std::unique_ptr<std::atomic<const Abbreviations*>[]> tables_;  // by number of the unit
  std::vector<OwnedRange> unit_ranges_;
  std::mutex scoping_;
  std::unordered_set<std::string> scopes_;
  std::atomic<uint64_t> scope_bytes_ = 0;  // bytes read for scopes
};

}  // namespace wick

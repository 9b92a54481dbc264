// DwarfFile: the units of one file with debug information.
//
// A program's debug information may lie in several files, which refer to each other: the program or
// its debug file, split units (.dwo beside the object files, or all together in a .dwp), and the
// file that dwz moved shared entries to. Each is a DwarfFile; DwarfInfo (dwarf_info.h) puts them
// together.
//
// The constructor reads the headers of all units and, but for split ones, their root entries: a few
// hundred bytes a unit. Tables of abbreviations are read when first needed. All threads may ask at
// once.
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

// Where an entry stands.
struct DwarfEntry {
  DwarfFile* file = nullptr;
  const DwarfUnit* unit = nullptr;
  uint64_t offset = 0;  // in .debug_info
};

// What the entry of a function says about it, by itself or through the entries it refers to.
struct FunctionEntry {
  std::string_view name;          // as written in the source, without scope
  std::string_view linkage_name;  // for the linker; empty in C
  std::string_view scope;         // of functions in C++ without linkage name (dwarf_scopes.h)
  uint32_t declared_line = 0;
  uint32_t declared_file = 0;
  const DwarfUnit* declared_unit = nullptr;  // whose files the number counts; null: none
  DwarfEntry scoped;                         // whose scope is to be found yet; no unit: none
};

class DwarfFile {
 public:
  // What dwz moved to a shared file has no code. It is relocatable by its header, with nothing in
  // it to relocate.
  enum class Kind : uint8_t { kWhole, kSplit, kShared };

  // Image and alternate must outlive the file. `alternate` may be null.
  DwarfFile(const ElfImage& image, Kind kind, DwarfFile* alternate);

  DwarfLimits& limits() { return limits_; }
  const DwarfLimits& limits() const { return limits_; }

  // In the order of the file.
  const std::vector<DwarfUnit>& units() const { return units_; }
  // The addresses of each unit, owned by its number.
  const std::vector<OwnedRange>& unit_ranges() const { return unit_ranges_; }

  // The unit with this id, ready to be read together with its skeleton. Only in split files.
  std::optional<DwarfUnit> split_unit(const DwarfUnit& skeleton);

  // Null when there is none, or too much was read.
  const Abbreviations* abbreviations(const DwarfUnit& unit);
  // `unit` is one that refers to the entry, with what it got from its skeleton. The scope is left
  // to add_scopes(), which is quick for many at once.
  FunctionEntry function_entry(const DwarfUnit& unit, uint64_t entry);
  static void add_scopes(std::span<FunctionEntry> functions);

 private:
  void read_roots();
  void read_aranges();
  void set_split_bases(DwarfUnit& unit) const;
  uint32_t language_of(DwarfUnit unit);
  const DwarfUnit* unit_of(uint64_t entry) const;
  // Where a reference in an entry of the unit leads to; no unit when nowhere.
  DwarfEntry target(const DwarfUnit& unit, const DwarfValue& reference);
  // Adds what one entry says; returns the entry it refers to.
  DwarfValue add_entry(const DwarfUnit& unit, uint64_t entry, FunctionEntry& found);
  // Entries of one unit, ascending.
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
  std::atomic<uint64_t> scope_bytes_ = 0;  // read for scopes
};

}  // namespace wick

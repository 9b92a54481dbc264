// SPDX-License-Identifier: Apache-2.0
// DwarfUnit: one unit of .debug_info (the output of one run of the compiler), and how to read the
// values of its attributes.
//
//     header: length, version, kind, sizes, where its abbreviations are
//     root entry: directory, line program, address ranges, and the bases of its tables
//     entries
//
// Many values are an index into a table. The root entry gives the base of that table, and uses such
// values itself. So reading has two steps: read_value() takes a value out of the entry, and the
// unit's text() and address() resolve it.
//
// A split unit has its entries and text in another file (.dwo, .dwp). The skeleton in the program
// has the parts that the linker had to relocate: addresses, the line program, and in DWARF 4 the
// ranges.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "elf/dwarf_abbreviations.h"
#include "elf/dwarf_cursor.h"
#include "elf/dwarf_sections.h"

namespace wick {

struct DwarfValue {
  enum class Kind : uint8_t {
    kNone,      // a block, or a reference to a type: not needed
    kConstant,  // also section offsets of DWARF 2 and 3
    kAddress,
    kAddressIndex,    // into .debug_addr, `extra` bytes further
    kText,            // `text`
    kTextOffset,      // in .debug_str
    kLineTextOffset,  // in .debug_line_str
    kTextIndex,       // into .debug_str_offsets
    kAltTextOffset,   // in .debug_str of the alternate file
    kReference,       // an entry: its offset in .debug_info
    kAltReference,    // the same in the alternate file
    kSectionOffset,
    kRangeListIndex,
  };
  Kind kind = Kind::kNone;
  uint64_t number = 0;
  uint64_t extra = 0;
  std::string_view text;

  bool is_number() const { return kind == Kind::kConstant || kind == Kind::kSectionOffset; }
  // For lines, columns and file numbers. A number that is too large counts as unknown.
  uint32_t small() const {
    return kind == Kind::kConstant && number <= UINT32_MAX ? static_cast<uint32_t>(number) : 0;
  }
};

struct DwarfUnit {
  const DwarfSections* sections = nullptr;
  const DwarfSections* alternate = nullptr;  // of the file to which dwz moved shared entries
  uint32_t number = 0;                       // index among the units of the file
  uint64_t offset = 0;                       // offset of the header in .debug_info
  uint64_t end = 0;
  uint64_t root = 0;  // offset of the root entry
  uint64_t abbrev_offset = 0;
  uint64_t split_id = 0;  // shared by a skeleton and its split unit
  FormSizes sizes;
  uint8_t type = 0;  // DW_UT_*

  // From the root entry.
  std::string_view split_name;  // the file with the entries, or empty
  std::string_view directory;
  uint64_t low_pc = 0;
  std::optional<uint64_t> line_offset;
  uint32_t language = 0;  // DW_LANG_*

  // Tables. For split units those of the skeleton, if it has them.
  Bytes addr;
  Bytes ranges;
  uint64_t addr_base = 0;
  uint64_t str_offsets_base = 0;
  uint64_t rnglists_base = 0;
  uint64_t ranges_base = 0;        // base of ranges
  uint64_t split_ranges_base = 0;  // in a DWARF 4 skeleton: base of ranges of its split unit

  std::string_view text(const DwarfValue& value) const;
  std::optional<uint64_t> address(const DwarfValue& value) const;
  std::optional<uint64_t> address_at(uint64_t index) const;
  // A cursor at an entry that cannot leave the unit; its offset() is that of .debug_info.
  DwarfCursor entries_at(uint64_t entry) const;
};

// Reads the value of an attribute and leaves the cursor after it.
DwarfValue read_value(DwarfCursor& cursor,
                      uint64_t form,
                      int64_t constant,
                      const FormSizes& sizes,
                      uint64_t unit_offset);

// Calls use(name, value) for each attribute of the entry under the cursor, after its code.
template <typename Use>
void for_each_attribute(DwarfCursor& cursor,
                        const DwarfUnit& unit,
                        const Abbreviations& abbreviations,
                        const Abbreviation& row,
                        Use use) {
  for (const AttributeSpec& spec : abbreviations.attributes(row)) {
    use(spec.name, read_value(cursor, spec.form, spec.constant, unit.sizes, unit.offset));
  }
}

// An unsigned number of 1 to 8 bytes at an offset, or none.
std::optional<uint64_t> number_at(Bytes section, uint64_t offset, size_t size);

// Length and offset size, which start all units and tables of DWARF. The length is 0 after damage.
struct InitialLength {
  uint64_t length = 0;
  uint8_t offset_size = 4;
};
InitialLength read_initial_length(DwarfCursor& cursor);

// The headers of all units of .debug_info; units of unknown versions are skipped and counted.
std::vector<DwarfUnit> read_unit_headers(const DwarfSections& sections, DwarfLimits& limits);

// Values of DW_AT_low_pc, DW_AT_high_pc and DW_AT_ranges of one entry.
struct RangeValues {
  DwarfValue low_pc;
  DwarfValue high_pc;
  DwarfValue ranges;
};

// Reads the root entry into the unit and returns the addresses that it covers; none if the entry
// cannot be read.
std::optional<RangeValues> read_unit_root(DwarfUnit& unit, const Abbreviations& abbreviations);

// The compiler as its root entry names it, often with its options; empty if unknown. Not a part of
// read_unit_root(), because only units with requested addresses need it.
std::string_view read_producer(const DwarfUnit& unit, const Abbreviations& abbreviations);

}  // namespace wick

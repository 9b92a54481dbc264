// SPDX-License-Identifier: Apache-2.0
// DwarfSections: the bytes of the DWARF sections of a file, and the limits on the work with them.
//
//     .debug_info         a tree of entries (DIEs) for each unit: functions, inlined calls, types
//     .debug_abbrev       which attributes the entries have, and how they are written
//     .debug_line         one program for each unit that yields (address, file, line, column)
//     .debug_str, .debug_line_str, .debug_str_offsets     text, and tables of its offsets
//     .debug_addr         table of addresses
//     .debug_ranges, .debug_rnglists      addresses of functions that are not in one piece
//     .debug_aranges      addresses of units
//
// Split debug information has the same sections, with ".dwo" after their names.
//
// Entries of one section point into others, and hostile ones may all point to the same expensive
// data: a thousand units that share one huge line program cost a thousand times its size.
// DwarfLimits counts the bytes that are read through such pointers. Valid files need each byte once
// or twice, so a small multiple of the section's size is enough; beyond it, reading fails as if the
// bytes were damaged.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "elf/image.h"

namespace wick {

struct DwarfSections {
  Bytes info;
  Bytes abbrev;
  Bytes line;
  Bytes str;
  Bytes line_str;
  Bytes str_offsets;
  Bytes addr;
  Bytes ranges;
  Bytes rnglists;
  Bytes aranges;
  Bytes cu_index;  // index of a package of split units (.dwp)

  static DwarfSections of(const ElfImage& image);
  static DwarfSections of_split(const ElfImage& image);
};

// Whether the file itself has DWARF. Unpacks nothing.
bool has_dwarf(const ElfImage& image);

// Path of a source file, in the parts that the file contains. Borrowed.
struct SourceFile {
  std::string_view compiled_in;  // the compiler's directory
  std::string_view directory;
  std::string_view name;

  bool known() const { return !name.empty(); }
  std::string path() const;
  friend bool operator==(const SourceFile&, const SourceFile&) = default;
};

class DwarfLimits {
 public:
  explicit DwarfLimits(const DwarfSections& sections);

  // Whether that many more bytes may be read; if not, counts it as damage.
  bool take_abbrev(uint64_t bytes) { return take(abbrev_, bytes); }
  bool take_line(uint64_t bytes) { return take(line_, bytes); }
  bool take_ranges(uint64_t bytes) { return take(ranges_, bytes); }
  // Whether the limit is already reached, before the size is known.
  bool abbrev_spent() const { return abbrev_.load(std::memory_order_relaxed) == 0; }
  bool line_spent() const { return line_.load(std::memory_order_relaxed) == 0; }
  bool ranges_spent() const { return ranges_.load(std::memory_order_relaxed) == 0; }
  void add_damage() { damaged_.fetch_add(1, std::memory_order_relaxed); }

  uint64_t damaged() const { return damaged_.load(std::memory_order_relaxed); }

 private:
  bool take(std::atomic<uint64_t>& left, uint64_t bytes);

  std::atomic<uint64_t> abbrev_;
  std::atomic<uint64_t> line_;
  std::atomic<uint64_t> ranges_;
  std::atomic<uint64_t> damaged_ = 0;
};

}  // namespace wick

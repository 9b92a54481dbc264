// SPDX-License-Identifier: Apache-2.0
// The addresses that an entry covers, and the owner of an address that several entries cover.
//
// An entry covers one range (low and high address) or a list of ranges: .debug_ranges up to DWARF
// 4, .debug_rnglists since. If the linker drops a function it cannot drop its entry, and sets its
// addresses to 0 or to the largest number; such ranges are ignored.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "elf/dwarf_sections.h"
#include "elf/dwarf_unit.h"

namespace wick {

// A range of code and the number of its owner.
struct OwnedRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint32_t owner = 0;
};

// Appends the ranges of the owner. Returns the first address of the first range, if there is one.
std::optional<uint64_t> add_ranges(const DwarfUnit& unit,
                                   const RangeValues& values,
                                   uint32_t owner,
                                   DwarfLimits& limits,
                                   std::vector<OwnedRange>& ranges);

// Turns overlapping ranges into a table in which each address has one owner.
class RangeTable {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  RangeTable() = default;
  // Where ranges overlap, the owner with the larger number wins (children come after parents), or
  // the one with the smaller number.
  enum class Winner : uint8_t { kLarger, kSmaller };
  RangeTable(std::vector<OwnedRange> ranges, Winner winner);

  uint32_t find(uint64_t address) const;
  bool empty() const { return starts_.empty(); }
  size_t memory_bytes() const;

 private:
  bool add_nested(std::span<const OwnedRange> ranges);
  void add_any(std::span<const OwnedRange> ranges);
  void add(uint64_t start, uint32_t owner);

  std::vector<uint64_t> starts_;  // addresses where the owner changes, ascending
  std::vector<uint32_t> owners_;  // kNone for gaps
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "elf/dwarf_package.h"

#include <algorithm>

namespace wick {
namespace {

struct IndexHeader {
  uint64_t columns = 0;
  uint64_t units = 0;
  uint64_t slots = 0;
};

std::optional<uint32_t> word_at(Bytes index, uint64_t offset) {
  std::optional<uint64_t> word = number_at(index, offset, sizeof(uint32_t));
  return word ? std::optional(static_cast<uint32_t>(*word)) : std::nullopt;
}

constexpr uint64_t kHeader = 16;

// The row of the id, counted from 1; 0 for none.
uint32_t row_of(Bytes index, const IndexHeader& header, uint64_t id) {
  uint64_t mask = header.slots - 1;
  uint64_t slot = id & mask;
  uint64_t step = ((id >> 32U) & mask) | 1U;
  for (uint64_t tried = 0; tried < header.slots; ++tried) {
    std::optional<uint64_t> found = number_at(index, kHeader + slot * 8, sizeof(uint64_t));
    std::optional<uint32_t> row = word_at(index, kHeader + header.slots * 8 + slot * 4);
    if (!found || !row || *row == 0) {
      return 0;
    }
    if (*found == id) {
      return *row;
    }
    slot = (slot + step) & mask;
  }
  return 0;
}

}  // namespace

std::optional<DwarfUnit> packaged_unit(Bytes index,
                                       const std::vector<DwarfUnit>& units,
                                       uint64_t split_id) {
  IndexHeader header{.columns = word_at(index, 4).value_or(0),
                     .units = word_at(index, 8).value_or(0),
                     .slots = word_at(index, 12).value_or(0)};
  if (header.slots == 0 || (header.slots & (header.slots - 1)) != 0 ||
      header.slots > index.size() || header.columns > index.size()) {
    return {};
  }
  uint32_t row = row_of(index, header, split_id);
  if (row == 0 || row > header.units) {
    return {};
  }
  uint64_t sections = kHeader + header.slots * 12;
  uint64_t offsets = sections + header.columns * 4 * row;
  uint64_t info = 0;
  uint64_t abbrev = 0;
  uint64_t str_offsets = 0;
  uint64_t rnglists = 0;
  for (uint64_t column = 0; column < header.columns; ++column) {
    uint32_t section = word_at(index, sections + column * 4).value_or(0);
    uint32_t offset = word_at(index, offsets + column * 4).value_or(0);
    switch (section) {
      case dw_sect::kInfo:
        info = offset;
        break;
      case dw_sect::kAbbrev:
        abbrev = offset;
        break;
      case dw_sect::kStrOffsets:
        str_offsets = offset;
        break;
      case dw_sect::kRnglists:
        rnglists = offset;
        break;
      default:
        break;
    }
  }
  auto found = std::ranges::lower_bound(units, info, {}, &DwarfUnit::offset);
  if (found == units.end() || found->offset != info) {
    return {};
  }
  DwarfUnit unit = *found;
  unit.abbrev_offset += abbrev;
  unit.str_offsets_base += str_offsets;
  unit.rnglists_base += rnglists;
  return unit;
}

}  // namespace wick

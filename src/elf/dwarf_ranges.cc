// SPDX-License-Identifier: Apache-2.0
// Reads the ranges of an entry, and turns overlapping ranges into a table of owners.
//
// RangeReader handles the three encodings: low and high address, pairs of addresses
// (.debug_ranges), and lists of several kinds of entries (.debug_rnglists). It drops ranges that
// the linker removed.
//
// RangeTable sorts the ranges by begin and then sweeps over them once. add_nested() handles the
// normal case, in which ranges nest: the open ranges are a stack, and the top owns the code. If the
// ranges do not nest, add_any() starts again with a heap, where the winner of all open ranges is on
// top. The result is two columns, starts_ and owners_: from starts_[i] on, the code belongs to
// owners_[i].
//
// Invariants: starts_ ascends strictly, neighbouring owners differ, and the larger number wins. For
// Winner::kSmaller the constructor inverts the numbers before the sweep and back after it.
#include "elf/dwarf_ranges.h"

#include <algorithm>
#include <queue>

namespace wick {
namespace {

class RangeReader {
 public:
  RangeReader(const DwarfUnit& unit,
              uint32_t owner,
              DwarfLimits& limits,
              std::vector<OwnedRange>& ranges)
      : unit_(unit), owner_(owner), limits_(limits), ranges_(ranges), first_(ranges.size()) {}

  void add(uint64_t begin, uint64_t end) {
    if (begin != 0 && begin < end) {
      ranges_.push_back({begin, end, owner_});
    }
  }

  // .debug_ranges: pairs of addresses relative to a base; a pair of zeros is the end.
  void read_pairs(uint64_t offset) {
    DwarfCursor cursor = at(unit_.ranges, offset);
    uint64_t largest =
        unit_.sizes.address >= 8 ? UINT64_MAX : (uint64_t{1} << (8U * unit_.sizes.address)) - 1;
    uint64_t base = unit_.low_pc;
    while (true) {
      uint64_t begin = cursor.unsigned_of(unit_.sizes.address);
      uint64_t end = cursor.unsigned_of(unit_.sizes.address);
      if (!cursor.ok() || (begin == 0 && end == 0)) {
        break;
      }
      if (begin == largest) {
        base = end;
      } else if (begin != end) {
        add(base + begin, base + end);
      }
    }
    finish(cursor, offset);
  }

  // .debug_rnglists: entries of several kinds.
  void read_list(uint64_t offset) {
    DwarfCursor cursor = at(unit_.sections->rnglists, offset);
    uint64_t base = unit_.low_pc;
    while (read_entry(cursor, base)) {
    }
    finish(cursor, offset);
  }

  std::optional<uint64_t> first_address() const {
    return ranges_.size() > first_ ? std::optional(ranges_[first_].begin) : std::nullopt;
  }

 private:
  DwarfCursor at(Bytes section, uint64_t offset) const {
    DwarfCursor cursor(limits_.ranges_spent() ? Bytes() : section);
    cursor.skip(offset);
    return cursor;
  }

  void finish(const DwarfCursor& cursor, uint64_t offset) {
    if (!cursor.ok()) {
      limits_.add_damage();
    }
    limits_.take_ranges(cursor.offset() - std::min<uint64_t>(offset, cursor.offset()));
  }

  uint64_t indexed(DwarfCursor& cursor) const {
    return unit_.address_at(cursor.uleb()).value_or(0);
  }

  bool read_entry(DwarfCursor& cursor, uint64_t& base) {
    uint8_t kind = cursor.number<uint8_t>();
    if (!cursor.ok()) {
      return false;
    }
    switch (kind) {
      case dw_rle::kBaseAddressx:
        base = indexed(cursor);
        break;
      case dw_rle::kBaseAddress:
        base = cursor.unsigned_of(unit_.sizes.address);
        break;
      case dw_rle::kStartxEndx: {
        uint64_t begin = indexed(cursor);
        add(begin, indexed(cursor));
        break;
      }
      case dw_rle::kStartxLength: {
        uint64_t begin = indexed(cursor);
        add(begin, begin + cursor.uleb());
        break;
      }
      case dw_rle::kOffsetPair: {
        uint64_t begin = cursor.uleb();
        uint64_t end = cursor.uleb();
        if (begin != end) {
          add(base + begin, base + end);
        }
        break;
      }
      case dw_rle::kStartEnd: {
        uint64_t begin = cursor.unsigned_of(unit_.sizes.address);
        add(begin, cursor.unsigned_of(unit_.sizes.address));
        break;
      }
      case dw_rle::kStartLength: {
        uint64_t begin = cursor.unsigned_of(unit_.sizes.address);
        add(begin, begin + cursor.uleb());
        break;
      }
      case dw_rle::kEndOfList:
        return false;
      default:
        cursor.fail();
        return false;
    }
    return cursor.ok();
  }

  const DwarfUnit& unit_;
  uint32_t owner_;
  DwarfLimits& limits_;
  std::vector<OwnedRange>& ranges_;
  size_t first_;
};

}  // namespace

std::optional<uint64_t> add_ranges(const DwarfUnit& unit,
                                   const RangeValues& values,
                                   uint32_t owner,
                                   DwarfLimits& limits,
                                   std::vector<OwnedRange>& ranges) {
  RangeReader reader(unit, owner, limits, ranges);
  using Kind = DwarfValue::Kind;
  if (values.ranges.kind == Kind::kRangeListIndex) {
    uint64_t base = unit.rnglists_base;
    std::optional<uint64_t> offset = number_at(unit.sections->rnglists,
                                               base + values.ranges.number * unit.sizes.offset,
                                               unit.sizes.offset);
    if (offset) {
      reader.read_list(base + *offset);
    } else {
      limits.add_damage();
    }
  } else if (values.ranges.is_number()) {
    if (unit.sizes.version >= 5) {
      reader.read_list(values.ranges.number);
    } else {
      reader.read_pairs(unit.ranges_base + values.ranges.number);
    }
  } else if (std::optional<uint64_t> low = unit.address(values.low_pc)) {
    if (values.high_pc.kind == Kind::kConstant) {
      reader.add(*low, *low + values.high_pc.number);
    } else if (std::optional<uint64_t> high = unit.address(values.high_pc)) {
      reader.add(*low, *high);
    }
  }
  return reader.first_address();
}

RangeTable::RangeTable(std::vector<OwnedRange> ranges, Winner winner) {
  if (winner == Winner::kSmaller) {
    for (OwnedRange& range : ranges) {
      range.owner = kNone - 1 - range.owner;
    }
  }
  // Of ranges with the same begin, the inner one comes last.
  std::ranges::sort(ranges, [](const OwnedRange& a, const OwnedRange& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.owner < b.owner;
  });
  starts_.reserve(2 * ranges.size());
  owners_.reserve(2 * ranges.size());
  if (!add_nested(ranges)) {
    starts_.clear();
    owners_.clear();
    add_any(ranges);
  }
  if (winner == Winner::kSmaller) {
    for (uint32_t& owner : owners_) {
      owner = owner == kNone ? kNone : kNone - 1 - owner;
    }
  }
  starts_.shrink_to_fit();
  owners_.shrink_to_fit();
}

// Compilers write nested ranges: each one is inside another one with a smaller number, or outside
// of all. Then the open ranges form a stack. Returns false if the ranges are not nested.
bool RangeTable::add_nested(std::span<const OwnedRange> ranges) {
  std::vector<OwnedRange> open;
  auto close_until = [&](uint64_t at) {
    while (!open.empty() && open.back().end <= at) {
      uint64_t end = open.back().end;
      open.pop_back();
      add(end, open.empty() || open.back().end == end ? kNone : open.back().owner);
    }
  };
  for (const OwnedRange& range : ranges) {
    close_until(range.begin);
    if (!open.empty() && (range.end > open.back().end || range.owner < open.back().owner)) {
      return false;
    }
    add(range.begin, range.owner);
    open.push_back(range);
  }
  close_until(UINT64_MAX);
  return true;
}

void RangeTable::add_any(std::span<const OwnedRange> ranges) {
  // The ranges that have begun and may not have ended yet; the winner is on top.
  auto loses = [](const OwnedRange& a, const OwnedRange& b) { return a.owner < b.owner; };
  std::priority_queue<OwnedRange, std::vector<OwnedRange>, decltype(loses)> open(loses);
  size_t next = 0;
  uint64_t at = 0;
  while (next < ranges.size() || !open.empty()) {
    if (open.empty()) {
      at = ranges[next].begin;
    }
    for (; next < ranges.size() && ranges[next].begin <= at; ++next) {
      open.push(ranges[next]);
    }
    while (!open.empty() && open.top().end <= at) {
      open.pop();
    }
    if (open.empty()) {
      add(at, kNone);
      continue;
    }
    add(at, open.top().owner);
    at = next < ranges.size() ? std::min(open.top().end, ranges[next].begin) : open.top().end;
  }
}

void RangeTable::add(uint64_t start, uint32_t owner) {
  if (!starts_.empty() && starts_.back() == start) {
    owners_.back() = owner;
  } else if (owners_.empty() || owners_.back() != owner) {
    starts_.push_back(start);
    owners_.push_back(owner);
  }
}

uint32_t RangeTable::find(uint64_t address) const {
  auto after = std::ranges::upper_bound(starts_, address);
  return after == starts_.begin() ? kNone
                                  : owners_[static_cast<size_t>(after - starts_.begin()) - 1];
}

size_t RangeTable::memory_bytes() const {
  return starts_.capacity() * sizeof(uint64_t) + owners_.capacity() * sizeof(uint32_t);
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Reads values, unit headers and root entries.
//
//     read_value()         one attribute, by its form. Resolves nothing: a value may be an index
//     DwarfUnit::text(),   resolve such a value through the unit's tables and bases
//       address()
//     read_unit_headers()  all units of .debug_info, one after the other
//     read_unit_root()     the root entry: bases, directory, line program, ranges
//
// read_unit_root() stores the bases first and resolves text and addresses only after the last
// attribute, because the bases may come after the values that need them.
//
// A unit with an unknown version or a damaged header is counted and skipped by its length. A length
// beyond the section ends the reading, since the start of the next unit is then unknown.
#include "elf/dwarf_unit.h"

namespace wick {
namespace {

using Kind = DwarfValue::Kind;

uint64_t three_bytes(DwarfCursor& cursor) {
  uint64_t low = cursor.number<uint16_t>();
  return low | uint64_t{cursor.number<uint8_t>()} << 16;
}

DwarfValue constant_value(uint64_t number) {
  return {.kind = Kind::kConstant, .number = number};
}

// Forms whose value is a number of a known size, except constants.
std::optional<DwarfValue> read_index(DwarfCursor& cursor, uint64_t form) {
  switch (form) {
    case dw_form::kStrx:
    case dw_form::kGnuStrIndex:
      return DwarfValue{.kind = Kind::kTextIndex, .number = cursor.uleb()};
    case dw_form::kStrx1:
      return DwarfValue{.kind = Kind::kTextIndex, .number = cursor.number<uint8_t>()};
    case dw_form::kStrx2:
      return DwarfValue{.kind = Kind::kTextIndex, .number = cursor.number<uint16_t>()};
    case dw_form::kStrx3:
      return DwarfValue{.kind = Kind::kTextIndex, .number = three_bytes(cursor)};
    case dw_form::kStrx4:
      return DwarfValue{.kind = Kind::kTextIndex, .number = cursor.number<uint32_t>()};
    case dw_form::kAddrx:
    case dw_form::kGnuAddrIndex:
      return DwarfValue{.kind = Kind::kAddressIndex, .number = cursor.uleb()};
    case dw_form::kAddrx1:
      return DwarfValue{.kind = Kind::kAddressIndex, .number = cursor.number<uint8_t>()};
    case dw_form::kAddrx2:
      return DwarfValue{.kind = Kind::kAddressIndex, .number = cursor.number<uint16_t>()};
    case dw_form::kAddrx3:
      return DwarfValue{.kind = Kind::kAddressIndex, .number = three_bytes(cursor)};
    case dw_form::kAddrx4:
      return DwarfValue{.kind = Kind::kAddressIndex, .number = cursor.number<uint32_t>()};
    case dw_form::kLlvmAddrxOffset: {
      uint64_t index = cursor.uleb();
      return DwarfValue{
          .kind = Kind::kAddressIndex, .number = index, .extra = cursor.number<uint32_t>()};
    }
    case dw_form::kRnglistx:
      return DwarfValue{.kind = Kind::kRangeListIndex, .number = cursor.uleb()};
    default:
      return {};
  }
}

}  // namespace

DwarfValue read_value(DwarfCursor& cursor,
                      uint64_t form,
                      int64_t constant,
                      const FormSizes& sizes,
                      uint64_t unit_offset) {
  auto reference = [&](uint64_t inside) {
    return DwarfValue{.kind = Kind::kReference, .number = unit_offset + inside};
  };
  switch (form) {
    case dw_form::kAddr:
      return {.kind = Kind::kAddress, .number = cursor.unsigned_of(sizes.address)};
    case dw_form::kData1:
    case dw_form::kFlag:
      return constant_value(cursor.number<uint8_t>());
    case dw_form::kData2:
      return constant_value(cursor.number<uint16_t>());
    case dw_form::kData4:
      return constant_value(cursor.number<uint32_t>());
    case dw_form::kData8:
      return constant_value(cursor.number<uint64_t>());
    case dw_form::kUdata:
      return constant_value(cursor.uleb());
    case dw_form::kSdata:
      return constant_value(static_cast<uint64_t>(cursor.sleb()));
    case dw_form::kImplicitConst:
      return constant_value(static_cast<uint64_t>(constant));
    case dw_form::kFlagPresent:
      return constant_value(1);
    case dw_form::kRef1:
      return reference(cursor.number<uint8_t>());
    case dw_form::kRef2:
      return reference(cursor.number<uint16_t>());
    case dw_form::kRef4:
      return reference(cursor.number<uint32_t>());
    case dw_form::kRef8:
      return reference(cursor.number<uint64_t>());
    case dw_form::kRefUdata:
      return reference(cursor.uleb());
    case dw_form::kRefAddr:
      return {.kind = Kind::kReference,
              .number = cursor.unsigned_of(sizes.version <= 2 ? sizes.address : sizes.offset)};
    case dw_form::kGnuRefAlt:
      return {.kind = Kind::kAltReference, .number = cursor.unsigned_of(sizes.offset)};
    case dw_form::kRefSup4:
      return {.kind = Kind::kAltReference, .number = cursor.number<uint32_t>()};
    case dw_form::kRefSup8:
      return {.kind = Kind::kAltReference, .number = cursor.number<uint64_t>()};
    case dw_form::kString:
      return {.kind = Kind::kText, .text = cursor.text()};
    case dw_form::kStrp:
      return {.kind = Kind::kTextOffset, .number = cursor.unsigned_of(sizes.offset)};
    case dw_form::kLineStrp:
      return {.kind = Kind::kLineTextOffset, .number = cursor.unsigned_of(sizes.offset)};
    case dw_form::kGnuStrpAlt:
    case dw_form::kStrpSup:
      return {.kind = Kind::kAltTextOffset, .number = cursor.unsigned_of(sizes.offset)};
    case dw_form::kSecOffset:
      return {.kind = Kind::kSectionOffset, .number = cursor.unsigned_of(sizes.offset)};
    case dw_form::kIndirect: {
      uint64_t real = dw_form::kIndirect;
      while (real == dw_form::kIndirect && cursor.ok()) {
        real = cursor.uleb();
      }
      return read_value(cursor, real, 0, sizes, unit_offset);
    }
    default:
      if (std::optional<DwarfValue> index = read_index(cursor, form)) {
        return *index;
      }
      skip_form(cursor, form, sizes);
      return {};
  }
}

std::optional<uint64_t> number_at(Bytes section, uint64_t offset, size_t size) {
  if (offset > section.size() || size > section.size() - offset) {
    return {};
  }
  DwarfCursor cursor(section.subspan(static_cast<size_t>(offset), size));
  uint64_t number = cursor.unsigned_of(size);
  return cursor.ok() ? std::optional(number) : std::nullopt;
}

std::string_view DwarfUnit::text(const DwarfValue& value) const {
  switch (value.kind) {
    case Kind::kText:
      return value.text;
    case Kind::kTextOffset:
      return text_at(sections->str, value.number);
    case Kind::kLineTextOffset:
      return text_at(sections->line_str, value.number);
    case Kind::kAltTextOffset:
      return alternate != nullptr ? text_at(alternate->str, value.number) : std::string_view();
    case Kind::kTextIndex: {
      std::optional<uint64_t> where = number_at(
          sections->str_offsets, str_offsets_base + value.number * sizes.offset, sizes.offset);
      return where ? text_at(sections->str, *where) : std::string_view();
    }
    default:
      return {};
  }
}

std::optional<uint64_t> DwarfUnit::address_at(uint64_t index) const {
  return number_at(addr, addr_base + index * sizes.address, sizes.address);
}

std::optional<uint64_t> DwarfUnit::address(const DwarfValue& value) const {
  if (value.kind == Kind::kAddress) {
    return value.number;
  }
  if (value.kind == Kind::kAddressIndex) {
    if (std::optional<uint64_t> address = address_at(value.number)) {
      return *address + value.extra;
    }
  }
  return {};
}

DwarfCursor DwarfUnit::entries_at(uint64_t entry) const {
  DwarfCursor cursor(sections->info.first(static_cast<size_t>(end)));
  cursor.skip(entry);
  return cursor;
}

InitialLength read_initial_length(DwarfCursor& cursor) {
  constexpr uint32_t kIs64Bit = 0xFFFF'FFFF;
  constexpr uint32_t kReserved = 0xFFFF'FFF0;
  uint32_t length = cursor.number<uint32_t>();
  if (length == kIs64Bit) {
    return {cursor.number<uint64_t>(), 8};
  }
  if (length >= kReserved) {
    cursor.fail();
    return {};
  }
  return {length, 4};
}

namespace {

bool is_address_size(uint8_t size) {
  return size == 2 || size == 4 || size == 8;
}

// Reads the header after the length. False if wick does not support such units.
bool read_unit_header(DwarfCursor& cursor, DwarfUnit& unit) {
  unit.sizes.version = cursor.number<uint16_t>();
  if (unit.sizes.version < 2 || unit.sizes.version > 5) {
    return false;
  }
  if (unit.sizes.version >= 5) {
    unit.type = cursor.number<uint8_t>();
    unit.sizes.address = cursor.number<uint8_t>();
    unit.abbrev_offset = cursor.unsigned_of(unit.sizes.offset);
    if (unit.type == dw_unit::kSkeleton || unit.type == dw_unit::kSplitCompile) {
      unit.split_id = cursor.number<uint64_t>();
    } else if (unit.type == dw_unit::kType || unit.type == dw_unit::kSplitType) {
      cursor.skip(sizeof(uint64_t) + unit.sizes.offset);  // signature, offset of the type
    }
  } else {
    unit.type = dw_unit::kCompile;
    unit.abbrev_offset = cursor.unsigned_of(unit.sizes.offset);
    unit.sizes.address = cursor.number<uint8_t>();
  }
  unit.root = cursor.offset();
  return cursor.ok() && is_address_size(unit.sizes.address) && unit.root <= unit.end;
}

}  // namespace

std::vector<DwarfUnit> read_unit_headers(const DwarfSections& sections, DwarfLimits& limits) {
  // Padding between units has a few zeros. An unwritten part of a sparse file has gigabytes of
  // them.
  constexpr size_t kMaxEmpty = 4096;
  size_t empty = 0;
  std::vector<DwarfUnit> units;
  DwarfCursor cursor(sections.info);
  while (!cursor.at_end()) {
    DwarfUnit unit{.sections = &sections, .offset = cursor.offset()};
    InitialLength length = read_initial_length(cursor);
    empty = length.length == 0 ? empty + 1 : 0;
    if (empty > kMaxEmpty) {
      limits.add_damage();
      break;
    }
    if (!cursor.ok() || length.length > cursor.remaining()) {
      limits.add_damage();
      break;
    }
    unit.end = cursor.offset() + length.length;
    unit.sizes.offset = length.offset_size;
    unit.addr = sections.addr;
    unit.ranges = sections.ranges;
    DwarfCursor header = cursor;
    cursor.skip(length.length);
    if (read_unit_header(header, unit)) {
      unit.number = static_cast<uint32_t>(units.size());
      units.push_back(unit);
    } else if (length.length != 0) {
      limits.add_damage();
    }
  }
  return units;
}

std::optional<RangeValues> read_unit_root(DwarfUnit& unit, const Abbreviations& abbreviations) {
  DwarfCursor cursor = unit.entries_at(unit.root);
  uint64_t code = cursor.uleb();
  const Abbreviation* row = abbreviations.find(code);
  if (code == 0 || row == nullptr) {
    return {};
  }
  RangeValues root;
  DwarfValue directory;
  DwarfValue split_name;
  for_each_attribute(
      cursor, unit, abbreviations, *row, [&](uint16_t name, const DwarfValue& value) {
        switch (name) {
          case dw_at::kLowPc:
            root.low_pc = value;
            break;
          case dw_at::kHighPc:
            root.high_pc = value;
            break;
          case dw_at::kRanges:
            root.ranges = value;
            break;
          case dw_at::kCompDir:
            directory = value;
            break;
          case dw_at::kLanguage:
            unit.language = value.small();
            break;
          case dw_at::kDwoName:
          case dw_at::kGnuDwoName:
            split_name = value;
            break;
          case dw_at::kGnuDwoId:
            unit.split_id = value.number;
            break;
          case dw_at::kStmtList:
            unit.line_offset = value.is_number() ? std::optional(value.number) : std::nullopt;
            break;
          case dw_at::kStrOffsetsBase:
            unit.str_offsets_base = value.number;
            break;
          case dw_at::kAddrBase:
          case dw_at::kGnuAddrBase:
            unit.addr_base = value.number;
            break;
          case dw_at::kRnglistsBase:
            unit.rnglists_base = value.number;
            break;
          case dw_at::kGnuRangesBase:
            unit.split_ranges_base = value.number;
            break;
          default:
            break;
        }
      });
  unit.directory = unit.text(directory);
  unit.split_name = unit.text(split_name);
  unit.low_pc = unit.address(root.low_pc).value_or(0);
  return root;
}

std::string_view read_producer(const DwarfUnit& unit, const Abbreviations& abbreviations) {
  DwarfCursor cursor = unit.entries_at(unit.root);
  const Abbreviation* row = abbreviations.find(cursor.uleb());
  if (row == nullptr) {
    return {};
  }
  for (const AttributeSpec& spec : abbreviations.attributes(*row)) {
    if (spec.name == dw_at::kProducer) {
      return unit.text(read_value(cursor, spec.form, spec.constant, unit.sizes, unit.offset));
    }
    spec.skip(cursor, unit.sizes);
  }
  return {};
}

}  // namespace wick

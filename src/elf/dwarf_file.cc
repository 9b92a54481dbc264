// SPDX-License-Identifier: Apache-2.0
// How a DwarfFile finds units and function names.
//
//     constructor       all unit headers; then, except in split files, all root entries, which
//                       give the addresses of each unit. .debug_aranges fills the gaps
//     split_unit()      the split unit of a skeleton, with the tables and bases of the skeleton
//     function_entry()  follows the references from a call or a function to the entry that has the
//                       name: call -> abstract function -> declaration, possibly in another file
//     add_scopes()      sorts the functions without a linkage name by unit, and finds the scopes of
//                       each unit in one pass
//
// Invariants: units_ is sorted by offset, and after the constructor only caches change (tables_,
// cache_, scopes_), each guarded by an atomic or a lock, because all threads may ask at once. Every
// path that follows a pointer in the file has a bound (kMaxSteps, kMaxPasses, DwarfLimits), so
// that hostile references cannot loop or multiply the work.
#include "elf/dwarf_file.h"

#include <algorithm>
#include <tuple>

#include "elf/dwarf_package.h"
#include "elf/dwarf_scopes.h"

namespace wick {

DwarfFile::DwarfFile(const ElfImage& image, Kind kind, DwarfFile* alternate)
    : sections_(kind == Kind::kSplit ? DwarfSections::of_split(image) : DwarfSections::of(image)),
      limits_(sections_),
      cache_(sections_.abbrev, limits_),
      alternate_(alternate) {
  units_ = read_unit_headers(sections_, limits_);
  tables_ = std::make_unique<std::atomic<const Abbreviations*>[]>(units_.size());
  for (DwarfUnit& unit : units_) {
    unit.alternate = alternate != nullptr ? &alternate->sections_ : nullptr;
    if (kind == Kind::kSplit) {
      set_split_bases(unit);
    }
  }
  if (kind != Kind::kSplit) {
    read_roots();
  }
  if (kind == Kind::kWhole) {
    read_aranges();
  }
}

void DwarfFile::read_roots() {
  const DwarfUnit* before = nullptr;
  for (DwarfUnit& unit : units_) {
    // Units that share one table (dwz makes such units) must not each search it again.
    bool shared = before != nullptr && before->abbrev_offset == unit.abbrev_offset;
    const Abbreviations* table = shared ? abbreviations(unit) : nullptr;
    before = &unit;
    uint64_t code = unit.entries_at(unit.root).uleb();
    std::optional<RangeValues> ranges =
        table != nullptr
            ? read_unit_root(unit, *table)
            : read_unit_root(unit, cache_.get_one(unit.abbrev_offset, unit.sizes, code));
    if (!ranges) {
      limits_.add_damage();
    } else if (unit.type != dw_unit::kType) {
      add_ranges(unit, *ranges, unit.number, limits_, unit_ranges_);
    }
  }
}

// Consults .debug_aranges only for units whose root entry does not give their addresses: not every
// compiler writes the section, and objects without it may be linked with objects that have it.
// DWARF 2 has no lists of ranges: its root entry gives the address of .text and omits code in other
// sections (templates, inline and cold functions; gcc -gdwarf-2 -gstrict-dwarf).
void DwarfFile::read_aranges() {
  std::vector<bool> known(units_.size());
  for (const OwnedRange& range : unit_ranges_) {
    known[range.owner] = units_[range.owner].sizes.version > 2;
  }
  DwarfCursor cursor(sections_.aranges);
  while (!cursor.at_end()) {
    InitialLength length = read_initial_length(cursor);
    Bytes body = cursor.take(length.length);
    if (!cursor.ok()) {
      limits_.add_damage();
      break;
    }
    DwarfCursor set(body);
    set.skip(sizeof(uint16_t));  // version
    const DwarfUnit* unit = unit_of(set.unsigned_of(length.offset_size));
    size_t address_size = set.number<uint8_t>();
    set.skip(1);  // size of segment selectors
    if (unit == nullptr || known[unit->number] || address_size == 0 || !set.ok()) {
      continue;
    }
    // Pairs are aligned to their size, counted from the start of the set.
    size_t header = (length.offset_size == 8 ? 12 : 4) + set.offset();
    set.skip((2 * address_size - header % (2 * address_size)) % (2 * address_size));
    while (!set.at_end()) {
      uint64_t begin = set.unsigned_of(address_size);
      uint64_t size = set.unsigned_of(address_size);
      if (!set.ok() || (begin == 0 && size == 0)) {
        break;
      }
      if (begin != 0 && begin + size > begin) {
        unit_ranges_.push_back({begin, begin + size, unit->number});
      }
    }
  }
}

void DwarfFile::set_split_bases(DwarfUnit& unit) const {
  // Tables of DWARF 5 start with a header, and the entries of a split unit come directly after it,
  // which the unit does not say. The header has length, version, padding; for ranges also sizes and
  // a count.
  if (unit.sizes.version >= 5) {
    uint64_t length_size = unit.sizes.offset == 8 ? 12 : 4;
    unit.str_offsets_base = length_size + 4;
    unit.rnglists_base = length_size + 8;
  }
}

// The language of a split unit, which its skeleton lacks. The skeleton has everything else.
uint32_t DwarfFile::language_of(DwarfUnit unit) {
  const Abbreviations* table = abbreviations(unit);
  if (table != nullptr) {
    read_unit_root(unit, *table);
  }
  return unit.language;
}

std::optional<DwarfUnit> DwarfFile::split_unit(const DwarfUnit& skeleton) {
  std::optional<DwarfUnit> unit;
  if (!sections_.cu_index.empty()) {
    unit = packaged_unit(sections_.cu_index, units_, skeleton.split_id);
  } else {
    for (const DwarfUnit& candidate : units_) {
      // DWARF 4 has the id in the root entry; its files contain one unit.
      bool fits = candidate.sizes.version < 5 || candidate.split_id == skeleton.split_id;
      if (fits && candidate.type != dw_unit::kSplitType) {
        unit = candidate;
        break;
      }
    }
  }
  if (unit) {
    unit->language = language_of(*unit);
    unit->addr = skeleton.addr;
    unit->addr_base = skeleton.addr_base;
    unit->low_pc = skeleton.low_pc;
    unit->directory = skeleton.directory;
    unit->ranges = skeleton.ranges;
    unit->ranges_base = skeleton.split_ranges_base;
  }
  return unit;
}

const DwarfUnit* DwarfFile::unit_of(uint64_t entry) const {
  auto after = std::ranges::upper_bound(units_, entry, {}, &DwarfUnit::offset);
  if (after == units_.begin()) {
    return nullptr;
  }
  const DwarfUnit& unit = *(after - 1);
  return entry < unit.end ? &unit : nullptr;
}

const Abbreviations* DwarfFile::abbreviations(const DwarfUnit& unit) {
  std::atomic<const Abbreviations*>& slot = tables_[unit.number];
  const Abbreviations* table = slot.load(std::memory_order_acquire);
  if (table == nullptr) {
    table = cache_.get(unit.abbrev_offset, unit.sizes);
    slot.store(table, std::memory_order_release);
  }
  return table;
}

FunctionEntry DwarfFile::function_entry(const DwarfUnit& unit, uint64_t entry) {
  // Call -> abstract function -> declaration, and one or two more for dwz. The bound ends cycles.
  constexpr int kMaxSteps = 12;
  FunctionEntry found;
  DwarfEntry location = target(unit, {.kind = DwarfValue::Kind::kReference, .number = entry});
  if (location.unit == nullptr) {
    limits_.add_damage();
    return found;
  }
  for (int step = 0; step < kMaxSteps; ++step) {
    DwarfValue next = location.file->add_entry(*location.unit, location.offset, found);
    if (next.kind == DwarfValue::Kind::kNone || !found.linkage_name.empty()) {
      if (found.linkage_name.empty() && has_scopes(*location.unit)) {
        found.scoped = location;
      }
      return found;
    }
    location = location.file->target(*location.unit, next);
    if (location.unit == nullptr) {
      break;
    }
  }
  limits_.add_damage();
  return found;
}

void DwarfFile::add_scopes(std::span<FunctionEntry> functions) {
  std::vector<FunctionEntry*> lacking;
  for (FunctionEntry& function : functions) {
    if (function.scoped.unit != nullptr) {
      lacking.push_back(&function);
    }
  }
  auto location = [](const FunctionEntry* function) {
    return std::tuple(function->scoped.file, function->scoped.unit, function->scoped.offset);
  };
  std::ranges::sort(lacking, {}, location);
  std::vector<uint64_t> entries;
  for (size_t begin = 0; begin < lacking.size(); begin += entries.size()) {
    const DwarfEntry& first = lacking[begin]->scoped;
    entries.clear();
    for (size_t at = begin; at < lacking.size() && lacking[at]->scoped.unit == first.unit; ++at) {
      entries.push_back(lacking[at]->scoped.offset);
    }
    std::vector<std::string_view> scopes = first.file->scopes_of(*first.unit, entries);
    for (size_t i = 0; i < scopes.size(); ++i) {
      lacking[begin + i]->scope = scopes[i];
    }
  }
}

std::vector<std::string_view> DwarfFile::scopes_of(const DwarfUnit& unit,
                                                   std::span<const uint64_t> entries) {
  // Few functions need this. A file in which all of them do, each at the end of its unit, is
  // hostile.
  constexpr uint64_t kMaxPasses = 16;
  std::vector<std::string_view> kept(entries.size());
  const Abbreviations* table = abbreviations(unit);
  if (table == nullptr || scope_bytes_ / kMaxPasses > sections_.info.size()) {
    return kept;
  }
  uint64_t read = 0;
  std::vector<std::string> scopes = enclosing_scopes(unit, *table, entries, read);
  scope_bytes_ += read;
  std::lock_guard lock(scoping_);
  for (size_t i = 0; i < scopes.size(); ++i) {
    if (!scopes[i].empty()) {
      kept[i] = *scopes_.insert(std::move(scopes[i])).first;
    }
  }
  return kept;
}

DwarfEntry DwarfFile::target(const DwarfUnit& unit, const DwarfValue& reference) {
  uint64_t entry = reference.number;
  if (reference.kind == DwarfValue::Kind::kAltReference) {
    return {alternate_, alternate_ != nullptr ? alternate_->unit_of(entry) : nullptr, entry};
  }
  if (entry >= unit.root && entry < unit.end) {
    return {this, &unit, entry};
  }
  return {this, unit_of(entry), entry};
}

DwarfValue DwarfFile::add_entry(const DwarfUnit& unit, uint64_t entry, FunctionEntry& found) {
  const Abbreviations* table = abbreviations(unit);
  DwarfCursor cursor = unit.entries_at(entry);
  const Abbreviation* row = table != nullptr ? table->find(cursor.uleb()) : nullptr;
  if (row == nullptr) {
    limits_.add_damage();
    return {};
  }
  DwarfValue next;
  for_each_attribute(cursor, unit, *table, *row, [&](uint16_t name, const DwarfValue& value) {
    switch (name) {
      case dw_at::kName:
        found.name = found.name.empty() ? unit.text(value) : found.name;
        break;
      case dw_at::kLinkageName:
      case dw_at::kMipsLinkageName:
        found.linkage_name = unit.text(value);
        break;
      case dw_at::kDeclLine:
        found.declared_line = found.declared_line == 0 ? value.small() : found.declared_line;
        break;
      case dw_at::kDeclFile:
        if (found.declared_unit == nullptr) {
          found.declared_file = value.small();
          found.declared_unit = &unit;
        }
        break;
      case dw_at::kAbstractOrigin:
      case dw_at::kSpecification:
        next = value;
        break;
      default:
        break;
    }
  });
  bool leads_on =
      next.kind == DwarfValue::Kind::kReference || next.kind == DwarfValue::Kind::kAltReference;
  return leads_on ? next : DwarfValue();
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "elf/data_symbols.h"

#include <algorithm>
#include <cstring>

#include <elf.h>

#include "elf/symbol_reader.h"

namespace wick {
namespace {

template <typename Row, typename Relocation>
void read_slots(Bytes bytes, const SymbolReader& symbols, uint64_t size, std::vector<Row>& rows) {
  for (size_t at = 0; at + sizeof(Relocation) <= bytes.size(); at += sizeof(Relocation)) {
    Relocation raw;
    std::memcpy(&raw, bytes.data() + at, sizeof raw);
    uint64_t symbol = sizeof raw.r_info == 8 ? uint64_t{raw.r_info} >> 32U : raw.r_info >> 8U;
    if (symbol == 0 || symbol >= symbols.size()) {
      continue;
    }
    RawSymbol target = symbols[symbol];
    std::string_view name = symbols.name(target);
    // A variable that the loader copies into the program is located there itself: not a slot.
    if (!name.empty() && (target.section == SHN_UNDEF || target.value != raw.r_offset)) {
      rows.push_back({raw.r_offset, size, name, true});
    }
  }
}

template <typename Row>
void add_slots(const ElfImage& image, std::vector<Row>& rows) {
  SymbolReader symbols(image, ".dynsym");
  for (const ElfSection& section : image.sections()) {
    Bytes bytes = image.contents(section);
    if (section.type == SHT_RELA && image.is_64()) {
      read_slots<Row, Elf64_Rela>(bytes, symbols, 8, rows);
    } else if (section.type == SHT_REL && !image.is_64()) {
      read_slots<Row, Elf32_Rel>(bytes, symbols, 4, rows);
    }
  }
}

template <typename Row>
void add_objects(const SymbolReader& symbols, std::vector<Row>& rows) {
  for (size_t i = 0; i < symbols.size(); ++i) {
    RawSymbol symbol = symbols[i];
    bool is_object = symbol.type == STT_OBJECT || symbol.type == STT_COMMON;
    if (is_object && symbol.section != SHN_UNDEF && symbol.value != 0) {
      rows.push_back({symbol.value, symbol.size, symbols.name(symbol), false});
    }
  }
}

}  // namespace

DataSymbols DataSymbols::from(const ElfImage& image, const ElfImage* debug) {
  DataSymbols found;
  bool dynamic_only = true;
  for (const ElfImage* file : {&image, debug}) {
    SymbolReader all(file != nullptr ? *file : image, ".symtab");
    if (file != nullptr && all.size() > 0) {
      dynamic_only = false;
      add_objects(all, found.rows_);
    }
  }
  if (dynamic_only) {
    add_objects(SymbolReader(image, ".dynsym"), found.rows_);
  }
  if (image.type() != ElfType::kRelocatable) {
    add_slots(image, found.rows_);
  }
  std::ranges::sort(found.rows_, [](const Row& a, const Row& b) {
    return a.address != b.address ? a.address < b.address
           : a.size != b.size     ? a.size > b.size
                                  : a.name < b.name;
  });
  auto doubles = std::ranges::unique(found.rows_, {}, &Row::address);
  found.rows_.erase(doubles.begin(), doubles.end());
  return found;
}

std::optional<DataSymbols::Match> DataSymbols::find(uint64_t address) const {
  auto after = std::ranges::upper_bound(rows_, address, {}, &Row::address);
  if (after == rows_.begin()) {
    return {};
  }
  const Row& row = *(after - 1);
  uint64_t offset = address - row.address;
  if (row.name.empty() || (offset != 0 && offset >= row.size)) {
    return {};
  }
  return Match{row.name, offset, row.is_slot};
}

}  // namespace wick

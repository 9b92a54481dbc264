// SPDX-License-Identifier: Apache-2.0
#include "elf/dwarf_abbreviations.h"

#include <algorithm>

namespace wick {

SkipStep skip_step(uint64_t form, const FormSizes& sizes) {
  using Kind = SkipStep::Kind;
  switch (form) {
    case dw_form::kAddr:
      return {Kind::kBytes, sizes.address};
    case dw_form::kData1:
    case dw_form::kFlag:
    case dw_form::kRef1:
    case dw_form::kStrx1:
    case dw_form::kAddrx1:
      return {Kind::kBytes, 1};
    case dw_form::kData2:
    case dw_form::kRef2:
    case dw_form::kStrx2:
    case dw_form::kAddrx2:
      return {Kind::kBytes, 2};
    case dw_form::kStrx3:
    case dw_form::kAddrx3:
      return {Kind::kBytes, 3};
    case dw_form::kData4:
    case dw_form::kRef4:
    case dw_form::kRefSup4:
    case dw_form::kStrx4:
    case dw_form::kAddrx4:
      return {Kind::kBytes, 4};
    case dw_form::kData8:
    case dw_form::kRef8:
    case dw_form::kRefSig8:
    case dw_form::kRefSup8:
      return {Kind::kBytes, 8};
    case dw_form::kData16:
      return {Kind::kBytes, 16};
    case dw_form::kFlagPresent:
    case dw_form::kImplicitConst:
      return {Kind::kBytes, 0};
    case dw_form::kStrp:
    case dw_form::kLineStrp:
    case dw_form::kSecOffset:
    case dw_form::kStrpSup:
    case dw_form::kGnuRefAlt:
    case dw_form::kGnuStrpAlt:
      return {Kind::kBytes, sizes.offset};
    case dw_form::kRefAddr:  // in DWARF 2 it is as large as an address
      return {Kind::kBytes, sizes.version <= 2 ? sizes.address : sizes.offset};
    case dw_form::kSdata:
    case dw_form::kUdata:
    case dw_form::kRefUdata:
    case dw_form::kStrx:
    case dw_form::kAddrx:
    case dw_form::kLoclistx:
    case dw_form::kRnglistx:
    case dw_form::kGnuAddrIndex:
    case dw_form::kGnuStrIndex:
      return {Kind::kLeb, 0};
    case dw_form::kString:
      return {Kind::kText, 0};
    case dw_form::kBlock:
    case dw_form::kExprloc:
      return {Kind::kBlockLeb, 0};
    case dw_form::kBlock1:
      return {Kind::kBlock1, 0};
    case dw_form::kBlock2:
      return {Kind::kBlock2, 0};
    case dw_form::kBlock4:
      return {Kind::kBlock4, 0};
    case dw_form::kIndirect:
      return {Kind::kIndirect, 0};
    default:
      return {Kind::kIndirect, kUnknownForm};
  }
}

void take_step(DwarfCursor& cursor, const SkipStep& step, const FormSizes& sizes) {
  switch (step.kind) {
    case SkipStep::Kind::kBytes:
      cursor.skip(step.bytes);
      break;
    case SkipStep::Kind::kLeb:
      cursor.uleb();
      break;
    case SkipStep::Kind::kText:
      cursor.text();
      break;
    case SkipStep::Kind::kBlockLeb:
      cursor.skip(cursor.uleb());
      break;
    case SkipStep::Kind::kBlock1:
      cursor.skip(cursor.number<uint8_t>());
      break;
    case SkipStep::Kind::kBlock2:
      cursor.skip(cursor.number<uint16_t>());
      break;
    case SkipStep::Kind::kBlock4:
      cursor.skip(cursor.number<uint32_t>());
      break;
    case SkipStep::Kind::kIndirect:
      if (step.bytes == kUnknownForm) {
        cursor.fail();
      } else {
        skip_form(cursor, cursor.uleb(), sizes);
      }
      break;
  }
}

void skip_form(DwarfCursor& cursor, uint64_t form, const FormSizes& sizes) {
  if (form == dw_form::kLlvmAddrxOffset) {
    cursor.uleb();
    cursor.skip(4);
    return;
  }
  // The form of an indirect form may be indirect again, at most once for each byte.
  while (form == dw_form::kIndirect && cursor.ok()) {
    form = cursor.uleb();
  }
  take_step(cursor, skip_step(form, sizes), sizes);
}

Abbreviations Abbreviations::parse(
    Bytes section, uint64_t offset, const FormSizes& sizes, uint64_t only, uint64_t& read) {
  Abbreviations table;
  table.sizes_ = sizes;
  read = 0;
  if (offset >= section.size()) {
    return table;
  }
  DwarfCursor cursor(section.subspan(static_cast<size_t>(offset)));
  while (cursor.ok()) {
    uint64_t code = cursor.uleb();
    if (code == 0 || !table.read_row(cursor, code)) {
      break;
    }
    table.dense_ = table.dense_ && code == table.rows_.size();
    if (code == only) {
      break;
    }
  }
  read = cursor.offset();
  if (!table.dense_) {
    std::ranges::stable_sort(table.rows_, {}, &Abbreviation::code);
  }
  return table;
}

bool Abbreviations::read_row(DwarfCursor& cursor, uint64_t code) {
  auto as_16 = [](uint64_t number) {
    return static_cast<uint16_t>(std::min<uint64_t>(number, UINT16_MAX));
  };
  Abbreviation row{.code = code,
                   .tag = as_16(cursor.uleb()),
                   .children = cursor.number<uint8_t>() != 0,
                   .first_attribute = static_cast<uint32_t>(attributes_.size()),
                   .first_step = static_cast<uint32_t>(steps_.size())};
  while (true) {
    uint64_t name = cursor.uleb();
    uint64_t form = cursor.uleb();
    int64_t constant = form == dw_form::kImplicitConst ? cursor.sleb() : 0;
    if (!cursor.ok()) {
      return false;
    }
    if (name == 0 && form == 0) {
      break;
    }
    SkipStep step = skip_step(form, sizes_);
    bool is_fixed = step.kind == SkipStep::Kind::kBytes;
    attributes_.push_back({.name = as_16(name),
                           .form = as_16(form),
                           .is_fixed = is_fixed,
                           .fixed_size = static_cast<uint8_t>(is_fixed ? step.bytes : 0),
                           .constant = constant});
    row.has_sibling = row.has_sibling || name == dw_at::kSibling;
    bool known = is_fixed && row.size != Abbreviation::kVaries;
    row.size = known ? row.size + step.bytes : Abbreviation::kVaries;
    if (form == dw_form::kLlvmAddrxOffset) {
      add_step({SkipStep::Kind::kLeb, 0}, row);
      add_step({SkipStep::Kind::kBytes, 4}, row);
    } else {
      add_step(step, row);
    }
  }
  row.attributes = static_cast<uint32_t>(attributes_.size()) - row.first_attribute;
  row.steps = static_cast<uint32_t>(steps_.size()) - row.first_step;
  rows_.push_back(row);
  return true;
}

void Abbreviations::add_step(const SkipStep& step, const Abbreviation& row) {
  if (step.kind == SkipStep::Kind::kBytes) {
    if (step.bytes == 0) {
      return;
    }
    if (steps_.size() > row.first_step && steps_.back().kind == SkipStep::Kind::kBytes) {
      steps_.back().bytes += step.bytes;
      return;
    }
  }
  steps_.push_back(step);
}

const Abbreviation* Abbreviations::search(uint64_t code) const {
  auto row = std::ranges::lower_bound(rows_, code, {}, &Abbreviation::code);
  return row != rows_.end() && row->code == code ? &*row : nullptr;
}

const Abbreviations* AbbreviationCache::get(uint64_t offset, const FormSizes& sizes) {
  std::lock_guard lock(mutex_);
  auto [slot, made] = tables_.try_emplace(Key{offset, sizes});
  if (made && !limits_.abbrev_spent()) {
    uint64_t read = 0;
    Abbreviations table = Abbreviations::parse(section_, offset, sizes, 0, read);
    if (limits_.take_abbrev(read)) {
      slot->second = std::make_unique<const Abbreviations>(std::move(table));
    }
  }
  return slot->second.get();
}

Abbreviations AbbreviationCache::get_one(uint64_t offset, const FormSizes& sizes, uint64_t code) {
  if (limits_.abbrev_spent()) {
    return {};
  }
  uint64_t read = 0;
  Abbreviations table = Abbreviations::parse(section_, offset, sizes, code, read);
  return limits_.take_abbrev(read) ? table : Abbreviations();
}

}  // namespace wick

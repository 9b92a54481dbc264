// SPDX-License-Identifier: Apache-2.0
#include "elf/cfi.h"

#include <algorithm>

#include "elf/dwarf_cursor.h"

namespace wick {
namespace {

constexpr uint32_t kLong = 0xFFFF'FFFF;  // the length follows in 64 bits

// Finds .eh_frame without section headers: .eh_frame_hdr starts with a version, three encodings,
// and the pointer to .eh_frame.
CfiSection eh_frame_by_header(const ElfImage& image, uint64_t header_address) {
  CfiSection section;
  section.address_size = image.is_64() ? 8 : 4;
  DwarfCursor cursor(image.bytes_at(header_address));
  auto version = cursor.number<uint8_t>();
  auto pointer_encoding = cursor.number<uint8_t>();
  cursor.skip(2);
  EhPointerBases bases{
      .section = header_address, .data = header_address, .address_size = section.address_size};
  uint64_t address = read_eh_pointer(cursor, pointer_encoding, bases);
  if (!cursor.ok() || version != 1 || (pointer_encoding & eh_pointer::kIndirect) != 0) {
    return section;
  }
  section.address = address;
  section.bytes = image.bytes_at(address);
  section.data_address = header_address;
  return section;
}

}  // namespace

CfiSection find_cfi(const ElfImage& image, CfiKind kind) {
  bool eh = kind == CfiKind::kEhFrame;
  const ElfSection* header = image.find_section(".eh_frame_hdr");
  uint64_t header_address = header != nullptr ? header->address : image.eh_frame_hdr().address;
  CfiSection section;
  section.kind = kind;
  section.address_size = image.is_64() ? 8 : 4;
  section.data_address = header_address;
  const ElfSection* found = image.find_section(eh ? ".eh_frame" : ".debug_frame");
  section.bytes = image.section(eh ? ".eh_frame" : ".debug_frame");
  if (found != nullptr) {
    section.address = eh ? found->address : uint64_t{0};
  } else if (eh && header_address != 0) {
    return eh_frame_by_header(image, header_address);
  }
  if (const ElfSection* text = image.find_section(".text")) {
    section.text_address = text->address;
  }
  return section;
}

CfiReader::CfiReader(const CfiSection& section) : section_(section) {
  std::vector<RawFde> raw;
  find_entries(raw);
  fdes_.reserve(raw.size());
  for (const RawFde& fde : raw) {
    if (!add_fde(fde)) {
      ++damaged_;
    }
  }
}

void CfiReader::find_entries(std::vector<RawFde>& raw) {
  DwarfCursor cursor(section_.bytes);
  while (!cursor.at_end()) {
    uint64_t entry = cursor.offset();
    uint64_t length = cursor.number<uint32_t>();
    bool wide = length == kLong;
    if (wide) {
      length = cursor.number<uint64_t>();
    }
    if (cursor.ok() && length == 0) {
      if (section_.kind == CfiKind::kEhFrame) {
        return;  // the end, even if the section is longer
      }
      continue;
    }
    Bytes body = cursor.take(length);
    if (!cursor.ok() || !add_entry(entry, body, wide, raw)) {
      ++damaged_;
    }
  }
}

bool CfiReader::add_entry(uint64_t entry, Bytes body, bool wide, std::vector<RawFde>& raw) {
  bool eh = section_.kind == CfiKind::kEhFrame;
  auto body_offset = static_cast<uint64_t>(body.data() - section_.bytes.data());
  // The id has the width of the length, except in .eh_frame, where it always has 32 bits.
  uint64_t id_size = wide && !eh ? 8 : 4;
  if (body.size() < id_size) {
    return false;
  }
  uint64_t id = DwarfCursor(body).unsigned_of(id_size);
  bool is_cie = eh ? id == 0 : id == (wide ? UINT64_MAX : kLong);
  if (is_cie) {
    add_cie(entry, body.subspan(id_size));
  } else {
    raw.push_back({.cie_offset = eh ? body_offset - id : id,
                   .offset = body_offset + id_size,
                   .size = body.size() - id_size});
  }
  return true;
}

void CfiReader::add_cie(uint64_t offset, Bytes body) {
  Cie cie;
  cie.offset = offset;
  cie.address_size = section_.address_size;
  uint64_t body_offset = static_cast<uint64_t>(body.data() - section_.bytes.data());
  DwarfCursor cursor(body);
  auto version = cursor.number<uint8_t>();
  std::string_view augmentation = cursor.text();
  if (version == 4) {
    cie.address_size = cursor.number<uint8_t>();
    cie.usable = cursor.number<uint8_t>() == 0;  // segment selectors: not in use anywhere
  }
  if (augmentation.starts_with("eh")) {
    cursor.skip(section_.address_size);  // g++ 2: a pointer to its own tables
    augmentation.remove_prefix(2);
  }
  cie.code_factor = cursor.uleb();
  cie.data_factor = cursor.sleb();
  cie.return_column =
      static_cast<DwarfRegister>(version == 1 ? cursor.number<uint8_t>() : cursor.uleb());
  if (augmentation.starts_with('z')) {
    cie.has_augmentation_data = true;
    uint64_t size = cursor.uleb();
    uint64_t at = body_offset + cursor.offset();
    read_augmentation(cie, augmentation.substr(1), cursor.take(size), at);
  } else if (!augmentation.empty() &&
             augmentation.find_first_not_of("SB") != std::string_view::npos) {
    cie.usable = false;  // without 'z' the size of the unknown part is unknown
  } else {
    cie.signal_frame = augmentation.find('S') != std::string_view::npos;
  }
  cie.instructions = cursor.take(cursor.remaining());
  bool known_size = cie.address_size == 4 || cie.address_size == 8;
  bool known_version = version == 1 || version == 3 || version == 4;
  cie.usable = cie.usable && cursor.ok() && known_size && known_version;
  if (!cie.usable) {
    ++damaged_;
  }
  cies_.push_back(cie);
}

// Reads the letters after 'z' and their data. The data after an unknown letter cannot be
// interpreted, but its total size is known, so the reader skips it.
void CfiReader::read_augmentation(Cie& cie,
                                  std::string_view letters,
                                  Bytes data,
                                  uint64_t data_offset) const {
  DwarfCursor cursor(data);
  EhPointerBases bases{.section = section_.address + data_offset,
                       .text = section_.text_address,
                       .data = section_.data_address,
                       .address_size = cie.address_size};
  for (char letter : letters) {
    switch (letter) {
      case 'L':
        cursor.skip(1);  // encoding of the pointers to exception tables
        break;
      case 'R':
        cie.address_encoding = cursor.number<uint8_t>();
        break;
      case 'P': {
        auto encoding = cursor.number<uint8_t>();
        read_eh_pointer(cursor, encoding, bases);
        break;
      }
      case 'S':
        cie.signal_frame = true;
        break;
      case 'B':  // AArch64: signed with key B
      case 'G':
        break;  // AArch64: memory tagging
      default:
        return;
    }
  }
}

bool CfiReader::add_fde(const RawFde& raw) {
  auto found = std::ranges::lower_bound(cies_, raw.cie_offset, {}, &Cie::offset);
  if (found == cies_.end() || found->offset != raw.cie_offset || !found->usable) {
    return false;
  }
  const Cie& cie = *found;
  DwarfCursor cursor(section_.bytes.subspan(raw.offset, raw.size));
  EhPointerBases bases{.section = section_.address + raw.offset,
                       .text = section_.text_address,
                       .data = section_.data_address,
                       .address_size = cie.address_size};
  if ((cie.address_encoding & eh_pointer::kIndirect) != 0) {
    return false;  // allowed by the format, but useless
  }
  Fde fde;
  fde.cie = static_cast<uint32_t>(found - cies_.begin());
  fde.begin = read_eh_pointer(cursor, cie.address_encoding, bases);
  // The length has the same size as the address, but is not relative.
  fde.end =
      fde.begin + read_eh_pointer(cursor, cie.address_encoding & eh_pointer::kSizeMask, bases);
  if (cie.has_augmentation_data) {
    cursor.skip(cursor.uleb());
  }
  if (!cursor.ok()) {
    return false;
  }
  fde.instructions = cursor.take(cursor.remaining());
  if (fde.end > fde.begin) {
    fdes_.push_back(fde);
    return true;
  }
  return fde.end == fde.begin;  // a function that the linker dropped
}

}  // namespace wick

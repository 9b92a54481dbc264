// SPDX-License-Identifier: Apache-2.0
#include "elf/relocations.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <elf.h>

#include "elf/symbol_reader.h"

namespace wick {
namespace {

struct Patch {
  size_t size = 0;        // bytes
  bool relative = false;  // relative to the patched location
};

std::optional<Patch> patch_of(Architecture machine, uint64_t type) {
  if (machine == Architecture::kX86_64) {
    switch (type) {
      case R_X86_64_64:
        return Patch{8};
      case R_X86_64_32:
      case R_X86_64_32S:
        return Patch{4};
      case R_X86_64_PC32:
        return Patch{4, true};
      case R_X86_64_PC64:
        return Patch{8, true};
      default:
        return {};
    }
  }
  if (machine == Architecture::kAarch64) {
    switch (type) {
      case R_AARCH64_ABS64:
        return Patch{8};
      case R_AARCH64_ABS32:
        return Patch{4};
      case R_AARCH64_PREL32:
        return Patch{4, true};
      case R_AARCH64_PREL64:
        return Patch{8, true};
      default:
        return {};
    }
  }
  return {};
}

// None for a symbol of another module.
std::optional<uint64_t> address_of(const ElfImage& image, const RawSymbol& symbol) {
  if (symbol.section == SHN_ABS) {
    return symbol.value;
  }
  if (symbol.section == SHN_UNDEF || symbol.section >= image.sections().size()) {
    return {};
  }
  return image.sections()[symbol.section].address + symbol.value;
}

}  // namespace

const ElfSection* find_relocations(const ElfImage& image, const ElfSection& section) {
  bool wanted = image.type() == ElfType::kRelocatable && image.is_64() &&
                (section.name.starts_with(".debug_") || section.name == ".eh_frame");
  if (!wanted) {
    return nullptr;
  }
  auto number = static_cast<size_t>(&section - image.sections().data());
  auto found = std::ranges::find_if(image.sections(), [&](const ElfSection& table) {
    return table.type == SHT_RELA && table.info == number;
  });
  return found == image.sections().end() ? nullptr : &*found;
}

void relocate(const ElfImage& image,
              const ElfSection& section,
              const ElfSection& relocations,
              OwnedBytes& bytes) {
  SymbolReader symbols(image, ".symtab");
  Bytes table = relocations.contents;
  for (; table.size() >= sizeof(Elf64_Rela); table = table.subspan(sizeof(Elf64_Rela))) {
    Elf64_Rela row;
    std::memcpy(&row, table.data(), sizeof row);
    std::optional<Patch> patch = patch_of(image.machine(), ELF64_R_TYPE(row.r_info));
    std::optional<uint64_t> target = address_of(image, symbols[ELF64_R_SYM(row.r_info)]);
    bool fits = patch && row.r_offset <= bytes.size && patch->size <= bytes.size - row.r_offset;
    if (!fits || !target) {
      continue;
    }
    uint64_t value = *target + static_cast<uint64_t>(row.r_addend);
    value -= patch->relative ? section.address + row.r_offset : 0;
    std::memcpy(bytes.data.get() + row.r_offset, &value, patch->size);  // little-endian
  }
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// SymbolReader: the rows of one ELF symbol table, with the same type for 32 and 64 bits.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include <elf.h>

#include "base/bytes.h"
#include "elf/image.h"

namespace wick {

struct RawSymbol {
  uint64_t value = 0;
  uint64_t size = 0;
  uint32_t name = 0;     // offset in the string table
  uint16_t section = 0;  // SHN_*
  uint8_t type = 0;      // STT_*
  uint8_t binding = 0;   // STB_*
  uint8_t visibility = 0;
};

class SymbolReader {
 public:
  // Reads the table in the section of that name. Has no rows if there is none.
  SymbolReader(const ElfImage& image, std::string_view section) : is_64_(image.is_64()) {
    const ElfSection* symbols = image.find_section(section);
    if (symbols == nullptr || symbols->link >= image.sections().size()) {
      return;
    }
    symbols_ = image.contents(*symbols);
    names_ = image.contents(image.sections()[symbols->link]);
    // A name must end with a NUL, so bytes after the last NUL are not names.
    size_t last = as_text(names_).rfind('\0');
    names_ = names_.first(last == std::string_view::npos ? 0 : last + 1);
  }

  size_t size() const { return symbols_.size() / (is_64_ ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym)); }
  RawSymbol operator[](size_t index) const {
    if (index >= size()) {
      return {};
    }
    return is_64_ ? read<Elf64_Sym>(index) : read<Elf32_Sym>(index);
  }

  // Ends with a NUL inside of the table. Empty if the offset is outside.
  const char* name_pointer(const RawSymbol& symbol) const {
    return symbol.name < names_.size() ? as_text(names_).data() + symbol.name : "";
  }
  std::string_view name(const RawSymbol& symbol) const { return name_pointer(symbol); }

 private:
  template <typename Row>
  RawSymbol read(size_t index) const {
    Row row;
    std::memcpy(&row, symbols_.data() + index * sizeof(Row), sizeof(Row));
    return {.value = row.st_value,
            .size = row.st_size,
            .name = row.st_name,
            .section = row.st_shndx,
            .type = static_cast<uint8_t>(ELF64_ST_TYPE(row.st_info)),
            .binding = static_cast<uint8_t>(ELF64_ST_BIND(row.st_info)),
            .visibility = static_cast<uint8_t>(ELF64_ST_VISIBILITY(row.st_other))};
  }

  bool is_64_;
  Bytes symbols_;
  Bytes names_;
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of elf and unwind: writes CFI and small ELF files byte by byte. Tests only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <elf.h>

#include "base/bytes.h"

namespace wick::testing {

// The DW_CFA_* instructions that tests write.
inline std::string advance(uint8_t steps) {
  return {static_cast<char>(0x40 | steps)};
}
inline std::string uleb(uint64_t value) {
  ByteWriter writer;
  writer.varint(value);
  return writer.bytes();
}
inline std::string sleb(int64_t value) {
  std::string bytes;
  while (true) {
    auto low = static_cast<uint8_t>(value & 0x7F);
    value >>= 7;
    bool last = (value == 0 && (low & 0x40) == 0) || (value == -1 && (low & 0x40) != 0);
    bytes.push_back(static_cast<char>(last ? low : low | 0x80));
    if (last) {
      return bytes;
    }
  }
}
inline std::string def_cfa(uint64_t number, uint64_t offset) {
  return "\x0C" + uleb(number) + uleb(offset);
}
inline std::string def_cfa_offset(uint64_t offset) {
  return "\x0E" + uleb(offset);
}
inline std::string def_cfa_register(uint64_t number) {
  return "\x0D" + uleb(number);
}
inline std::string def_cfa_expression(const std::string& expression) {
  return "\x0F" + uleb(expression.size()) + expression;
}
// In units of the data factor.
inline std::string saved_at(uint8_t number, uint64_t factored) {
  return std::string(1, static_cast<char>(0x80 | number)) + uleb(factored);
}
inline std::string restored(uint8_t number) {
  return {static_cast<char>(0xC0 | number)};
}
inline std::string undefined(uint64_t number) {
  return "\x07" + uleb(number);
}
inline std::string same_value(uint64_t number) {
  return "\x08" + uleb(number);
}
inline std::string in_register(uint64_t number, uint64_t other) {
  return "\x09" + uleb(number) + uleb(other);
}
inline std::string val_expression(uint64_t number, const std::string& expression) {
  return "\x16" + uleb(number) + uleb(expression.size()) + expression;
}
inline std::string at_expression(uint64_t number, const std::string& expression) {
  return "\x10" + uleb(number) + uleb(expression.size()) + expression;
}
inline const std::string kRememberState = "\x0A";
inline const std::string kRestoreState = "\x0B";

// A .eh_frame or .debug_frame at a linked address.
class CfiWriter {
 public:
  explicit CfiWriter(uint64_t address, bool eh = true) : address_(address), eh_(eh) {}

  struct CieOptions {
    std::string augmentation = "zR";
    std::string augmentation_data = std::string("\x1B", 1);  // pcrel | sdata4
    uint64_t code_factor = 1;
    int64_t data_factor = -8;
    uint8_t return_column = 16;
    uint8_t version = 1;
  };
  // Returns the offset, which FDEs refer to.
  uint64_t cie(const CieOptions& options, const std::string& instructions) {
    ByteWriter body;
    body.number<uint32_t>(eh_ ? 0 : 0xFFFF'FFFF);
    body.number(options.version);
    body.text(options.augmentation);
    body.number<uint8_t>(0);
    if (options.version == 4) {
      body.number<uint8_t>(8);
      body.number<uint8_t>(0);
    }
    body.text(uleb(options.code_factor));
    body.text(sleb(options.data_factor));
    body.number(options.return_column);
    if (options.augmentation.starts_with('z')) {
      body.text(uleb(options.augmentation_data.size()));
      body.text(options.augmentation_data);
    }
    body.text(instructions);
    return append(body.bytes());
  }
  // x86-64's usual start: CFA = rsp + 8, return address at CFA - 8.
  uint64_t usual_cie() { return cie({}, def_cfa(7, 8) + saved_at(16, 1)); }

  // Addresses are pcrel | sdata4 (.eh_frame) or plain (.debug_frame).
  void fde(uint64_t cie, uint64_t begin, uint64_t size, const std::string& instructions) {
    uint64_t body_at = writer_.bytes().size() + 4;
    ByteWriter body;
    if (eh_) {
      body.number(static_cast<uint32_t>(body_at - cie));
      body.number(static_cast<uint32_t>(begin - (address_ + body_at + 4)));
      body.number(static_cast<uint32_t>(size));
      body.number<uint8_t>(0);  // no augmentation data
    } else {
      body.number(static_cast<uint32_t>(cie));
      body.number(begin);
      body.number(size);
    }
    body.text(instructions);
    append(body.bytes());
  }
  // An FDE whose addresses are already encoded.
  void raw_fde(uint64_t cie, const std::string& rest) {
    ByteWriter body;
    body.number(static_cast<uint32_t>(writer_.bytes().size() + 4 - cie));
    body.text(rest);
    append(body.bytes());
  }
  void terminator() { writer_.number<uint32_t>(0); }
  uint64_t size() const { return writer_.bytes().size(); }
  const std::string& bytes() const { return writer_.bytes(); }
  uint64_t address() const { return address_; }

 private:
  uint64_t append(std::string body) {
    uint64_t offset = writer_.bytes().size();
    body.resize((body.size() + 3) / 4 * 4, '\0');  // DW_CFA_nop
    writer_.number(static_cast<uint32_t>(body.size()));
    writer_.text(body);
    return offset;
  }

  uint64_t address_;
  bool eh_;
  ByteWriter writer_;
};

// A small 64-bit ELF file: segments first, then sections in the order of add().
class ElfWriter {
 public:
  uint16_t machine = EM_X86_64;
  uint16_t type = ET_DYN;

  struct Section {
    std::string name;
    std::string contents;
    uint32_t type = SHT_PROGBITS;
    uint64_t flags = 0;
    uint64_t address = 0;
    uint32_t link = 0;
    uint32_t info = 0;
  };
  // Returns the index of the section.
  uint32_t add(Section section) {
    sections_.push_back(std::move(section));
    return static_cast<uint32_t>(sections_.size());  // 0 is the null section
  }
  void add_segment(const Elf64_Phdr& segment) { segments_.push_back(segment); }
  // A PT_LOAD that covers the section with this index; bytes() fills it in.
  void load_section(uint32_t section, uint32_t flags) { loads_.push_back({section, flags}); }

  static std::string symbol(uint32_t name,
                            uint64_t value,
                            uint64_t size,
                            uint16_t section,
                            uint8_t type = STT_FUNC,
                            uint8_t binding = STB_GLOBAL) {
    Elf64_Sym row{};
    row.st_name = name;
    row.st_info = static_cast<unsigned char>(ELF64_ST_INFO(binding, type));
    row.st_shndx = section;
    row.st_value = value;
    row.st_size = size;
    return {reinterpret_cast<const char*>(&row), sizeof(row)};
  }

  std::string bytes() const {
    std::string names(1, '\0');
    std::string contents;
    std::vector<Elf64_Shdr> headers(1);
    size_t segment_count = segments_.size() + loads_.size();
    uint64_t start = sizeof(Elf64_Ehdr) + segment_count * sizeof(Elf64_Phdr);
    std::vector<Section> all = sections_;
    all.push_back({.name = ".shstrtab", .type = SHT_STRTAB});
    for (const Section& section : all) {
      Elf64_Shdr header{};
      header.sh_name = static_cast<Elf64_Word>(names.size());
      names += section.name + '\0';
      header.sh_type = section.type;
      header.sh_flags = section.flags;
      header.sh_addr = section.address;
      contents.resize((contents.size() + 15) / 16 * 16, '\0');
      header.sh_offset = start + contents.size();
      bool is_names = &section == &all.back();
      header.sh_size = is_names ? names.size() : section.contents.size();
      header.sh_link = section.link;
      header.sh_info = section.info;
      if (section.type != SHT_NOBITS) {
        contents += is_names ? names : section.contents;
      }
      headers.push_back(header);
    }
    Elf64_Ehdr file{};
    std::string_view magic(
        "\x7F"
        "ELF\2\1\1",
        7);
    magic.copy(reinterpret_cast<char*>(file.e_ident), magic.size());
    file.e_type = type;
    file.e_machine = machine;
    file.e_version = 1;
    file.e_phoff = segment_count > 0 ? sizeof(Elf64_Ehdr) : 0;
    file.e_shoff = start + contents.size();
    file.e_ehsize = sizeof(Elf64_Ehdr);
    file.e_phentsize = sizeof(Elf64_Phdr);
    file.e_phnum = static_cast<Elf64_Half>(segment_count);
    file.e_shentsize = sizeof(Elf64_Shdr);
    file.e_shnum = static_cast<Elf64_Half>(headers.size());
    file.e_shstrndx = static_cast<Elf64_Half>(headers.size() - 1);
    std::string out = raw(file);
    for (const Elf64_Phdr& segment : segments_) {
      out += raw(segment);
    }
    for (auto [section, flags] : loads_) {
      Elf64_Phdr segment{};
      segment.p_type = PT_LOAD;
      segment.p_flags = flags;
      segment.p_offset = headers[section].sh_offset;
      segment.p_vaddr = headers[section].sh_addr;
      segment.p_filesz = segment.p_memsz = headers[section].sh_size;
      out += raw(segment);
    }
    out += contents;
    for (const Elf64_Shdr& header : headers) {
      out += raw(header);
    }
    return out;
  }

 private:
  template <typename T>
  static std::string raw(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof(value)};
  }

  std::vector<Section> sections_;
  std::vector<Elf64_Phdr> segments_;
  std::vector<std::pair<uint32_t, uint32_t>> loads_;
};

// The section .note.gnu.build-id.
inline std::string build_id_note(const std::string& id) {
  Elf64_Nhdr header{4, static_cast<Elf64_Word>(id.size()), NT_GNU_BUILD_ID};
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) +
         std::string("GNU\0", 4) + id;
}

}  // namespace wick::testing

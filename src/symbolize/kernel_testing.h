// SPDX-License-Identifier: Apache-2.0
// Files in the role of the kernel and of one of its modules, for tests.
#pragma once

#include <string>
#include <utility>

#include "elf/dwarf_testing.h"

namespace wick::testing {

// Linked addresses; a running kernel has others.
inline constexpr uint64_t kLinkedText = 0x800;
inline constexpr uint64_t kLinkedOuter = 0x1000;  // inlined_program() of dwarf_testing.h

// The code of outer: a call to itself, then nops.
inline std::string outer_code() {
  return std::string("\xe8\xfb\xff\xff\xff", 5) + std::string(0xFA, '\x90') + '\xc3';
}

inline std::string kernel_elf(const std::string& build_id, bool has_lines = true) {
  ElfWriter writer;
  uint32_t text =
      writer.add({.name = ".text",
                  .contents = std::string(kLinkedOuter - kLinkedText, '\xcc') + outer_code(),
                  .flags = SHF_ALLOC | SHF_EXECINSTR,
                  .address = kLinkedText});
  writer.load_section(text, PF_R | PF_X);
  std::string names("\0_text\0outer\0", 13);
  uint32_t strings = writer.add({.name = ".strtab", .contents = names, .type = SHT_STRTAB});
  auto section = static_cast<uint16_t>(text);
  writer.add({.name = ".symtab",
              .contents = ElfWriter::symbol(0, 0, 0, 0) +
                          ElfWriter::symbol(1, kLinkedText, 0, section, STT_NOTYPE) +
                          ElfWriter::symbol(7, kLinkedOuter, 0x100, section),
              .type = SHT_SYMTAB,
              .link = strings});
  DwarfParts parts;
  if (has_lines) {
    parts = inlined_program(4);
  }
  parts.build_id = build_id;
  if (has_lines) {
    parts.add_to(writer);
  } else {
    writer.add(
        {.name = ".note.gnu.build-id", .contents = build_id_note(build_id), .type = SHT_NOTE});
  }
  return writer.bytes();
}

// The offsets of the functions of module_elf() from its start: first, then outer.
inline constexpr uint64_t kModuleOuter = 0x40;

// Removes the addresses of inlined_program() from a section and returns relocations for them:
// distances from the section of symbol 1.
inline std::string take_addresses(std::string& contents) {
  std::string relocations;
  for (size_t at = 0; at + sizeof(uint64_t) <= contents.size(); ++at) {
    uint64_t address = 0;
    contents.copy(reinterpret_cast<char*>(&address), sizeof address, at);
    if (address >= kLinkedOuter && address <= kLinkedOuter + 0x100) {
      Elf64_Rela row{.r_offset = at,
                     .r_info = ELF64_R_INFO(1UL, R_X86_64_64),
                     .r_addend = static_cast<Elf64_Sxword>(address - kLinkedOuter)};
      relocations.append(reinterpret_cast<const char*>(&row), sizeof row);
      contents.replace(at, sizeof address, sizeof address, '\0');
    }
  }
  return relocations;
}

// The init section comes first in the file but is elsewhere in memory.
inline std::string module_elf(const std::string& build_id) {
  constexpr uint64_t kCode = SHF_ALLOC | SHF_EXECINSTR;
  ElfWriter writer;
  writer.type = ET_REL;
  writer.add({.name = ".init.text", .contents = std::string(0x30, '\xcc'), .flags = kCode});
  uint32_t first =
      writer.add({.name = ".text", .contents = std::string(kModuleOuter, '\x90'), .flags = kCode});
  uint32_t second = writer.add({.name = ".text.more", .contents = outer_code(), .flags = kCode});
  std::string names("\0first\0outer\0", 13);
  uint32_t strings = writer.add({.name = ".strtab", .contents = names, .type = SHT_STRTAB});
  uint32_t symbols = writer.add(
      {.name = ".symtab",
       .contents = ElfWriter::symbol(0, 0, 0, 0) +
                   ElfWriter::symbol(0, 0, 0, static_cast<uint16_t>(second), STT_SECTION) +
                   ElfWriter::symbol(1, 0, kModuleOuter, static_cast<uint16_t>(first)) +
                   ElfWriter::symbol(7, 0, 0x100, static_cast<uint16_t>(second)),
       .type = SHT_SYMTAB,
       .link = strings});
  DwarfParts parts = inlined_program(4);
  parts.build_id = build_id;
  std::string of_info = take_addresses(parts.info);
  std::string of_lines = take_addresses(parts.line);
  parts.aranges.clear();
  parts.add_to(writer);
  uint32_t info = symbols + 1;  // as add_to() adds them
  uint32_t line = symbols + 3;
  for (const auto& [section, contents] : {std::pair(info, of_info), std::pair(line, of_lines)}) {
    writer.add({.name = ".rela",
                .contents = contents,
                .type = SHT_RELA,
                .link = symbols,
                .info = section});
  }
  return writer.bytes();
}

}  // namespace wick::testing

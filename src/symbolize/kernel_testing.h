// A file that plays the kernel, for tests.
#pragma once

#include <string>

#include "elf/dwarf_testing.h"

namespace wick::testing {

// Linked addresses; a kernel that runs stands elsewhere.
inline constexpr uint64_t kLinkedText = 0x800;
inline constexpr uint64_t kLinkedOuter = 0x1000;  // inlined_program() of dwarf_testing.h

// Its code: a call to itself, then nops.
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

}  // namespace wick::testing

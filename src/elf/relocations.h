// SPDX-License-Identifier: Apache-2.0
// Relocations of unlinked files, as far as debug and unwind information needs them.
//
// In a kernel module or an object file, every value that depends on the address of a section is
// missing. A table has it instead (.rela.debug_info and so on): at this offset, the address of that
// symbol plus a number. The addresses of sections are those of the image (image.h). A relocation of
// another kind, or one without a valid target, leaves its bytes unchanged.
#pragma once

#include "elf/image.h"
#include "elf/unpack.h"

namespace wick {

// The table for a debug section or .eh_frame, or null. Linked files have none, and code is shown
// unchanged.
const ElfSection* find_relocations(const ElfImage& image, const ElfSection& section);

// `bytes` are the section's contents, unpacked.
void relocate(const ElfImage& image,
              const ElfSection& section,
              const ElfSection& relocations,
              OwnedBytes& bytes);

}  // namespace wick

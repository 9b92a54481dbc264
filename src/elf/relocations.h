// Relocations of files that are not linked yet, as far as debug and unwind information needs them.
//
// In a kernel module or an object file everything that depends on where a section will stand is
// left out, and written down in a table instead (.rela.debug_info and so on): at this offset,
// the address of that symbol plus a number. The places of sections are those of the image
// (image.h). A relocation of another kind, or one that leads nowhere, leaves its bytes as they are.
#pragma once

#include "elf/image.h"
#include "elf/unpack.h"

namespace wick {

// The table for a debug section or .eh_frame, or null: linked files have none, and code is shown as
// it is in the file.
const ElfSection* find_relocations(const ElfImage& image, const ElfSection& section);

// `bytes` are the section's, unpacked.
void relocate(const ElfImage& image,
              const ElfSection& section,
              const ElfSection& relocations,
              OwnedBytes& bytes);

}  // namespace wick

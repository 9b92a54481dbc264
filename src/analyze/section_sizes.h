// Sections of a program or library, largest first: their bytes, and how many of them no symbol
// covers. For profiles of bytes (formats/elf_size), in which the first frame of a stack is a
// section.
#pragma once

#include "profile/profile.h"
#include "report/report.h"

namespace wick {

Table section_sizes(const Profile& profile);

}  // namespace wick

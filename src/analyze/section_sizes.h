// SPDX-License-Identifier: Apache-2.0
// Sections of a program or library, largest first: their bytes, and how many of them no symbol
// covers. For profiles of bytes (formats/elf_size), in which the first frame of a stack is a
// section.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "profile/profile.h"
#include "report/report.h"

namespace wick {

Table section_sizes(const Profile& profile);

// The whole report of such a profile: symbols (with the sections below), a tree, or a picture.
enum class SizeShape : uint8_t { kBySelf, kByTotal, kByName, kTree, kFlame };
Result<Report> size_report(const Profile& profile, SizeShape shape);

}  // namespace wick

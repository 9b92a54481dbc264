// SPDX-License-Identifier: Apache-2.0
// The vdso: code that the kernel maps into every process, and that has no file. All 64-bit
// processes of a machine have the same one as this process; wick reads that of 32-bit processes
// from one of them.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "elf/image.h"
#include "stream/event.h"

namespace wick {

// The bytes are empty if the image refers to those of this process.
struct Vdso {
  std::vector<std::byte> bytes;
  std::unique_ptr<ElfImage> image;  // null if it cannot be read
};

// The vdso of a running process.
Vdso vdso_of(const MapEvent& map);
// The vdso of this process, if it is of that build, otherwise null. `build_id` is raw.
std::unique_ptr<ElfImage> own_vdso(std::string_view build_id);
// Whether a process has the same vdso as this one.
bool has_own_vdso(const MapEvent& map);

}  // namespace wick

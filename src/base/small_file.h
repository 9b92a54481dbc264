// SPDX-License-Identifier: Apache-2.0
// The bytes of a small file as they are, also of those that have no size (/proc, /sys). Files that
// users name, which may be packed, are read by base/whole_input.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace wick {

// At most `most` bytes from `begin` on; empty when the file cannot be read.
std::string read_text(const std::string& path, size_t most = SIZE_MAX, size_t begin = 0);

}  // namespace wick

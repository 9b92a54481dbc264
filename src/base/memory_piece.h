// SPDX-License-Identifier: Apache-2.0
// A part of the memory of a process, and where to copy it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace wick {

struct MemoryPiece {
  uint64_t address = 0;
  std::span<std::byte> out;
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// DataSymbols: which variable is at an address, or whose address a slot of the GOT will contain.
//
// For operands of instructions: `mov 0x2f1a(%rip),%rax` is easier to read with "counter" next to
// it, and `call *0x2f1a(%rip)` (compiled without PLT) with "memcpy". Objects come from .symtab, or
// from .dynsym if there is no .symtab; slots come from the relocations that fill them. Names are
// borrowed from the images.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "elf/image.h"

namespace wick {

class DataSymbols {
 public:
  // `debug` is the separate debug file of `image`, or null.
  static DataSymbols from(const ElfImage& image, const ElfImage* debug = nullptr);

  struct Match {
    std::string_view name;
    uint64_t offset = 0;   // from the start of the variable
    bool is_slot = false;  // the slot holds the variable's address
  };
  std::optional<Match> find(uint64_t address) const;

 private:
  struct Row {
    uint64_t address = 0;
    uint64_t size = 0;
    std::string_view name;
    bool is_slot = false;
  };
  std::vector<Row> rows_;  // sorted by address, one for each
};

}  // namespace wick

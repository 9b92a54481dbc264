// DataSymbols: which variable stands at an address, or whose address a slot of the GOT will hold.
//
// For the operands of instructions: `mov 0x2f1a(%rip),%rax` says more with "counter" beside it, and
// `call *0x2f1a(%rip)` (compiled without PLT) with "memcpy". Objects come from .symtab, without it
// from .dynsym; slots from the relocations that fill them. Names are borrowed from the images.
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

  struct Found {
    std::string_view name;
    uint64_t offset = 0;   // from where the variable begins
    bool is_slot = false;  // not the thing itself, but its address
  };
  std::optional<Found> find(uint64_t address) const;

 private:
  struct Row {
    uint64_t address = 0;
    uint64_t size = 0;
    std::string_view name;
    bool is_slot = false;
  };
  std::vector<Row> rows_;  // by address, one for each
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// SymbolTable: which function is at an address, from the symbol tables of an ELF file.
//
// Sources, in this order: .symtab, which has every function. Without it, .dynsym, which has the
// exported ones, together with the .symtab inside .gnu_debugdata, which has the others, or with the
// table that Go's runtime needs (go_functions.h). A separate debug file is passed as a second
// image. Stubs of the procedure linkage table have no symbols: they are named after the function
// they jump to, "name@plt".
//
// Functions are the same symbols as in perf: STT_FUNC and STT_GNU_IFUNC, and symbols without a type
// (hand-written assembly) that are in a code section and are not ARM's mapping symbols ($x, $d).
// Unlike in perf they may be hidden: zstd's hot loops are.
//
// Aliases: if several symbols have one address, the table selects the best name, in perf's order:
// one with a size, one with a type, not weak, global, fewest leading underscores, longest name;
// then the first by bytes, so that the result never depends on the order in the file. Unlike in
// perf, internal names of glibc and the kernel come last: write, not __GI_write. Versions of
// symbols ("memcpy@@GLIBC_2.14") are dropped.
//
// Where symbols overlap, the innermost one wins (the one that starts last). A symbol without a size
// extends to the end of the code that follows from it, at most to the next symbol or unwind entry,
// or for 4 KB; inside another symbol with a size it is a label and is dropped.
//
// Rows are sorted, do not overlap, and are looked up by binary search. Names are borrowed from the
// images, which must outlive the table; addresses are linked addresses. A finished table never
// changes, and threads may share it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "elf/image.h"

namespace wick {

struct Symbol {
  uint64_t address = 0;
  uint64_t size = 0;  // from the file; if the file has none, up to the next symbol
  std::string_view name;
};

// A second, internal name for a function of a library or the kernel: __GI_write, __pi_memcpy.
bool is_internal_alias(std::string_view name);

class SymbolTable {
 public:
  SymbolTable() = default;
  // `debug` is the separate debug file of `image`, or null.
  static SymbolTable from(const ElfImage& image, const ElfImage* debug = nullptr);

  // The function whose code contains the address, if any is known.
  std::optional<Symbol> find(uint64_t address) const { return stretch_at(address).symbol; }
  // The same, with the surrounding addresses that have the same answer: [begin, end).
  struct Stretch {
    uint64_t begin = 0;
    uint64_t end = 0;
    std::optional<Symbol> symbol;
  };
  Stretch stretch_at(uint64_t address) const;

  // All functions by address, one for each address.
  size_t size() const { return symbols_.size(); }
  Symbol operator[](size_t index) const;

  size_t memory_bytes() const;

 private:
  friend class SymbolTableBuilder;

  struct Entry {
    uint64_t address = 0;
    uint64_t end = 0;
    const char* name = nullptr;  // ends with NUL, which the builder has checked
  };
  // From `address` on, the code belongs to this symbol, or to none.
  static constexpr uint32_t kNone = UINT32_MAX;

  std::vector<Entry> symbols_;                       // by address
  std::vector<uint64_t> starts_;                     // addresses where the owner changes, ascending
  std::vector<uint32_t> owners_;                     // index into symbols_, or kNone
  std::unique_ptr<std::string> made_names_;          // "name@plt"
  std::vector<std::unique_ptr<ElfImage>> unpacked_;  // the image in .gnu_debugdata
};

}  // namespace wick

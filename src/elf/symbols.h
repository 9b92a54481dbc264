// SymbolTable: which function stands at an address, from the symbol tables of an ELF file.
//
// Sources, in this order: .symtab, which has every function; without it .dynsym, which has the
// exported ones, together with the .symtab inside .gnu_debugdata, which has the others, or with the
// table that Go's runtime needs (go_functions.h). A separate debug file is given as a second image.
// Stubs of the procedure linkage table have no symbols of their own: they are named after the
// function they jump to, "name@plt".
//
// What counts as a function is what perf counts: STT_FUNC and STT_GNU_IFUNC, and symbols without a
// type (hand-written assembly) that stand in a code section and are none of ARM's mapping symbols
// ($x, $d). Unlike in perf they may be hidden: zstd's hot loops are.
//
// Aliases: of several symbols at one address the best name is kept, by perf's order: one with a
// size, one with a type, not weak, global, fewest leading underscores, longest name; then the one
// that comes first by bytes, so that the answer never depends on the order in the file. Unlike in
// perf, names that glibc and the kernel use only among themselves come last: write, not __GI_write.
// Versions of symbols ("memcpy@@GLIBC_2.14") are left out.
//
// Where symbols overlap, the innermost one wins (the one that starts last). A symbol without a size
// reaches to the next symbol or to the end of its section; inside another one that has a size it
// is a label and is left out.
//
// Rows are sorted, do not overlap, and are looked up by binary search. Names are borrowed from the
// images, which must outlive the table; addresses are linked addresses. A finished table never
// changes and may be shared between threads.
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
  uint64_t size = 0;  // as the file says, or up to what follows when the file does not say
  std::string_view name;
};

// A second name that a library or kernel has for a function of its own: __GI_write, __pi_memcpy.
bool is_internal_alias(std::string_view name);

class SymbolTable {
 public:
  SymbolTable() = default;
  // `debug` is the separate debug file of `image`, or null.
  static SymbolTable from(const ElfImage& image, const ElfImage* debug = nullptr);

  // The function whose code holds the address, if any is known.
  std::optional<Symbol> find(uint64_t address) const { return stretch_at(address).symbol; }
  // The same, with the addresses around it that have the same answer: [begin, end).
  struct Stretch {
    uint64_t begin = 0;
    uint64_t end = 0;
    std::optional<Symbol> symbol;
  };
  Stretch stretch_at(uint64_t address) const;

  // All functions by address, one for each place.
  size_t size() const { return symbols_.size(); }
  Symbol operator[](size_t index) const;

  size_t memory_bytes() const;

 private:
  friend class SymbolTableBuilder;

  struct Entry {
    uint64_t address = 0;
    uint64_t end = 0;
    const char* name = nullptr;  // ends with NUL: the builder has seen it
  };
  // From `address` on, code belongs to this symbol, or to none.
  static constexpr uint32_t kNone = UINT32_MAX;

  std::vector<Entry> symbols_;               // by address
  std::vector<uint64_t> starts_;             // where the owner of the code changes, ascending
  std::vector<uint32_t> owners_;             // index into symbols_, or kNone
  std::unique_ptr<std::string> made_names_;  // "name@plt"
  std::vector<std::unique_ptr<ElfImage>> unpacked_;  // the image inside .gnu_debugdata
};

}  // namespace wick

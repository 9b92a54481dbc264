// Symbols that come as lines of text: the kernel's own list (/proc/kallsyms), the maps that
// run-time compilers write (/tmp/perf-PID.map), and what nm prints.
//
//     ffffffff81000000 T _text [module]    address, kind, name; it ends where the next begins
//     7f0010 1f py::main:app.py            address, size, name up to the end of the line
//     ffffffff80100000 0000000000000042 t kernel::main    nm -CS: address, size, kind, name
//
// The text is kept, names are borrowed from it. Of several names for one address in the kernel's
// list the best is kept, by the same order as in ELF files: no internal alias, global, fewest
// leading underscores, longest. Where lines of a map overlap (code was thrown away and the place
// used again), the later one counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "elf/dwarf_ranges.h"

namespace wick {

// One function by name; the name is borrowed from its table.
struct NamedRange {
  uint64_t start = 0;
  uint64_t size = 0;
  std::string_view name;
  bool is_made_up = false;  // there was no symbol: the name is made from the module and an address
};

class TextSymbols {
 public:
  // Only functions get names; everything else ends the function before it.
  static TextSymbols from_kallsyms(std::string text);
  static TextSymbols from_perf_map(std::string text);
  // Lines without a size and symbols that are no function are left out; when no line has a size (nm
  // without -S), a function reaches to the next symbol.
  static TextSymbols from_nm(std::string text);

  std::optional<NamedRange> find(uint64_t address) const;
  // The last function that starts at the address or before it, however far it reaches.
  std::optional<NamedRange> find_before(uint64_t address) const;
  // Where the kernel's text starts (_text), for relocation; 0 when the list does not say.
  uint64_t kernel_text() const { return kernel_text_; }
  bool empty() const { return rows_.empty(); }
  size_t size() const { return rows_.size(); }
  // The kernel's list by address (a row without a name only ends the one before), a map by line.
  NamedRange operator[](size_t row) const {
    return {rows_[row].start, rows_[row].size, name(rows_[row])};
  }
  // Lines that could not be understood.
  uint64_t skipped_lines() const { return skipped_; }

 private:
  struct Row {
    uint64_t start = 0;
    uint64_t size = 0;
    uint32_t name_begin = 0;
    uint32_t name_size : 31 = 0;  // 0: not a function, only an end
    uint32_t global : 1 = 0;
  };
  std::string_view name(const Row& row) const {
    return std::string_view(text_).substr(row.name_begin, row.name_size);
  }
  // `name` lies in the text.
  void add(uint64_t start, uint64_t size, std::string_view name, bool global);
  void sort();
  // Of several names for one address; rows must be sorted.
  void keep_best_names();
  // Every row ends where the next one begins.
  void reach_to_next();
  bool is_better(const Row& a, const Row& b) const;

  std::vector<Row> rows_;
  std::optional<RangeTable> latest_;  // of a map: which row counts at an address
  std::string text_;
  uint64_t kernel_text_ = 0;
  uint64_t skipped_ = 0;
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Symbols in lines of text: the kernel's own list (/proc/kallsyms), the maps that JIT compilers
// write (/tmp/perf-PID.map), and the output of nm.
//
//     ffffffff81000000 T _text [module]    address, kind, name; it ends where the next begins
//     7f0010 1f py::main:app.py            address, size, name up to the end of the line
//     ffffffff80100000 0000000000000042 t kernel::main    nm -CS: address, size, kind, name
//
// The table owns the text, and names are borrowed from it. If the kernel's list has several names
// for one address, the best one counts, in the same order as for ELF files: no internal alias,
// global, fewest leading underscores, longest. Where lines of a map overlap (memory of discarded
// code was used again), the later one counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "elf/dwarf_ranges.h"

namespace wick {

// A function with its name; the name is borrowed from its table.
struct NamedRange {
  uint64_t start = 0;
  uint64_t size = 0;
  std::string_view name;
  bool is_made_up = false;  // no symbol: the name consists of the module and an address
};

// A function and the line of its source that an address is on. Borrowed.
struct NamedCode {
  NamedRange function;
  std::string_view file = {};  // empty when unknown
  uint32_t line = 0;
};

class TextSymbols {
 public:
  // Only functions get names; every other symbol ends the function before it.
  static TextSymbols from_kallsyms(std::string text);
  static TextSymbols from_perf_map(std::string text);
  // Ignores lines without a size and symbols that are not functions. If no line has a size (nm
  // without -S), a function extends to the next symbol.
  static TextSymbols from_nm(std::string text);

  std::optional<NamedRange> find(uint64_t address) const;
  // The last function that starts at the address or before it, whatever its end.
  std::optional<NamedRange> find_before(uint64_t address) const;
  // The start of the kernel's text (_text), for relocation; 0 if the list does not have it.
  uint64_t kernel_text() const { return kernel_text_; }
  bool empty() const { return rows_.empty(); }
  size_t size() const { return rows_.size(); }
  // The kernel's list by address (a row without a name only ends the previous one), a map by line.
  NamedRange operator[](size_t row) const {
    return {rows_[row].start, rows_[row].size, name(rows_[row])};
  }
  // Whether the text of a perf map ends inside a line.
  bool is_cut() const { return is_cut_; }
  // The number of lines that could not be parsed.
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
  // `name` is a part of the text.
  void add(uint64_t start, uint64_t size, std::string_view name, bool global);
  void sort();
  // Selects one of several names for each address; rows must be sorted.
  void keep_best_names();
  // Lets every row end where the next one starts.
  void reach_to_next();
  bool is_better(const Row& a, const Row& b) const;

  std::vector<Row> rows_;
  std::optional<RangeTable> latest_;  // for a map: which row counts at an address
  std::string text_;
  uint64_t kernel_text_ = 0;
  uint64_t skipped_ = 0;
  bool is_cut_ = false;
};

}  // namespace wick

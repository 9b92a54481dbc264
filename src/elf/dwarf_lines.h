// SPDX-License-Identifier: Apache-2.0
// LineTable: file, line and column of each instruction of a unit, from its line program.
//
//     header: sizes, directories, files
//     program: opcodes that change a row (address, file, line, column) and append it
//
// A program makes several sequences of rows with rising addresses, one for each section of code. A
// row is valid up to the next one. A row takes 16 bytes, with its address relative to the sequence;
// a row that equals the previous one is not stored. A program cannot append more rows than it has
// bytes, so the section bounds the memory.
//
// A caller that needs only some addresses passes them in ascending order. Then the reader answers
// them at the end of each sequence and stores only the answers, not the rows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "elf/dwarf_sections.h"
#include "elf/dwarf_unit.h"

namespace wick {

struct LinePosition {
  static constexpr uint32_t kNoFile = UINT32_MAX;
  uint32_t file = 0;  // file number, see LineTable::file()
  uint32_t line = 0;
  uint32_t column = 0;
  friend bool operator==(const LinePosition&, const LinePosition&) = default;
};

class LineTable {
 public:
  LineTable() = default;
  // The program of the unit; empty if it has none. `wanted` are the addresses that will be
  // requested, ascending and unique; empty: any address.
  static LineTable read(const DwarfUnit& unit,
                        DwarfLimits& limits,
                        std::span<const uint64_t> wanted = {});

  // Only if read for any address.
  std::optional<LinePosition> find(uint64_t address) const;
  // The answer for a wanted address, given its index. File kNoFile: unknown.
  const LinePosition& wanted(size_t index) const { return wanted_[index]; }
  SourceFile file(uint64_t number) const;

  size_t rows() const { return rows_.size(); }
  size_t memory_bytes() const;

 private:
  friend class LineProgram;

  struct FileRow {
    uint64_t directory = 0;
    std::string_view name;
  };
  struct Row {
    uint32_t offset = 0;  // address relative to the start of the sequence
    uint32_t file = 0;
    uint32_t line = 0;
    uint32_t column = 0;
  };
  struct Sequence {
    uint64_t begin = 0;
    uint64_t end = 0;
    size_t first = 0;  // index of the first row
    size_t rows = 0;
  };

  uint16_t version_ = 0;
  std::string_view compiled_in_;
  std::vector<std::string_view> directories_;
  std::vector<FileRow> files_;
  std::vector<Row> rows_;
  std::vector<Sequence> sequences_;  // by begin
  std::vector<LinePosition> wanted_;
};

}  // namespace wick

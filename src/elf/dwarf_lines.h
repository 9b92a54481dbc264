// LineTable: file, line and column of each instruction of a unit, from its line program.
//
//     header: sizes, directories, files
//     program: opcodes that change a row (address, file, line, column) and append it
//
// A program makes several sequences of rows with rising addresses, one for each section of code.
// A row holds up to the next one. Rows are kept as 16 bytes, their addresses relative to the
// sequence; rows that say the same as the one before are not kept. A program cannot append more
// rows than it has bytes, so memory is bounded by the section.
//
// Who asks for some addresses only says which, in ascending order: then the rows of a sequence are
// walked along with them when it ends, and only the answers are kept.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "elf/dwarf_sections.h"
#include "elf/dwarf_unit.h"

namespace wick {

struct LinePlace {
  static constexpr uint32_t kNoFile = UINT32_MAX;
  uint32_t file = 0;  // number, see LineTable::file()
  uint32_t line = 0;
  uint32_t column = 0;
  friend bool operator==(const LinePlace&, const LinePlace&) = default;
};

class LineTable {
 public:
  LineTable() = default;
  // The program of the unit; empty when it has none. `wanted` are the addresses that will be asked
  // for, ascending, each once; none: any.
  static LineTable read(const DwarfUnit& unit,
                        DwarfLimits& limits,
                        std::span<const uint64_t> wanted = {});

  // Only when read for any address.
  std::optional<LinePlace> find(uint64_t address) const;
  // At a wanted address, by its place among them. File kNoFile: nothing is known.
  const LinePlace& wanted(size_t index) const { return wanted_[index]; }
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
    uint32_t offset = 0;  // of the address from where the sequence begins
    uint32_t file = 0;
    uint32_t line = 0;
    uint32_t column = 0;
  };
  struct Sequence {
    uint64_t begin = 0;
    uint64_t end = 0;
    size_t first = 0;  // row
    size_t rows = 0;
  };

  uint16_t version_ = 0;
  std::string_view compiled_in_;
  std::vector<std::string_view> directories_;
  std::vector<FileRow> files_;
  std::vector<Row> rows_;
  std::vector<Sequence> sequences_;  // by begin
  std::vector<LinePlace> wanted_;
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// How a line program is read: the header with its directories and files, then the program, opcode
// by opcode, in one pass.
//
// Each opcode changes State or appends a row. Rows go to the end of table_.rows_; those from
// first_row_ on belong to the open sequence. end_sequence() then either retains the sequence, or
// answers the wanted addresses from its rows and drops it (answer_wanted), or drops it as unusable:
// code that the linker removed, or offsets beyond 32 bits.
//
// Invariants: rows of a finished sequence are sorted by offset. Sequences are sorted by their begin
// after the program has run. Every loop consumes bytes of the section or is bounded by wanted_, so
// that the work is linear, whatever the program says.
#include "elf/dwarf_lines.h"

#include <algorithm>
#include <array>

#include "base/mapped_file.h"

namespace wick {

// Reads one program into a table.
class LineProgram {
 public:
  LineProgram(const DwarfUnit& unit,
              LineTable& table,
              DwarfLimits& limits,
              std::span<const uint64_t> wanted)
      : unit_(unit), table_(table), limits_(limits), wanted_(wanted), answered_by_(wanted.size()) {
    table_.wanted_.assign(wanted.size(), {.file = LinePosition::kNoFile});
  }

  void run(uint64_t offset) {
    DwarfCursor start(unit_.sections->line);
    start.skip(offset);
    InitialLength length = read_initial_length(start);
    // A truncated program is still valid up to the cut.
    uint64_t size = std::min<uint64_t>(length.length, start.remaining());
    if (!start.ok() || size < length.length) {
      limits_.add_damage();
    }
    if (size == 0 || !limits_.take_line(size)) {
      return;
    }
    sizes_ = unit_.sizes;
    sizes_.offset = length.offset_size;
    Bytes program = start.take(size);
    DwarfCursor cursor(program);
    if (!read_header(cursor)) {
      limits_.add_damage();
      return;
    }
    execute(cursor);
    if (!wanted_.empty()) {
      forget_mapped(program);  // all wanted addresses are answered
    }
    // An unfinished sequence has no valid end, so its rows are dropped.
    table_.rows_.resize(first_row_);
    table_.rows_.shrink_to_fit();
    std::ranges::stable_sort(table_.sequences_, {}, &LineTable::Sequence::begin);
  }

 private:
  struct State {
    uint64_t address = 0;
    uint64_t file = 1;
    uint64_t line = 1;
    uint64_t column = 0;
  };

  bool read_header(DwarfCursor& cursor) {
    sizes_.version = cursor.number<uint16_t>();
    if (sizes_.version < 2 || sizes_.version > 5) {
      return false;
    }
    table_.version_ = sizes_.version;
    if (sizes_.version >= 5) {
      sizes_.address = cursor.number<uint8_t>();
      cursor.skip(1);  // size of segment selectors
    }
    uint64_t header_size = cursor.unsigned_of(sizes_.offset);
    if (!cursor.ok() || header_size > cursor.remaining()) {
      return false;
    }
    DwarfCursor header(cursor.take(header_size));
    instruction_size_ = header.number<uint8_t>();
    if (sizes_.version >= 4) {
      header.skip(1);  // operations in one instruction: always one
    }
    header.skip(1);  // whether rows are statements by default
    line_base_ = header.number<int8_t>();
    line_range_ = header.number<uint8_t>();
    opcode_base_ = header.number<uint8_t>();
    for (unsigned opcode = 1; opcode < opcode_base_; ++opcode) {
      operands_[opcode] = header.number<uint8_t>();
    }
    if (!header.ok()) {
      return false;
    }
    if (sizes_.version >= 5) {
      read_tables(header);
    } else {
      read_old_tables(header);
    }
    if (!header.ok()) {
      limits_.add_damage();
    }
    return true;
  }

  void read_old_tables(DwarfCursor& header) {
    while (true) {
      std::string_view directory = header.text();
      if (directory.empty()) {
        break;
      }
      table_.directories_.push_back(directory);
    }
    while (read_old_file(header)) {
    }
  }
  bool read_old_file(DwarfCursor& cursor) {
    std::string_view name = cursor.text();
    if (name.empty()) {
      return false;
    }
    uint64_t directory = cursor.uleb();
    cursor.uleb();  // time
    cursor.uleb();  // size
    table_.files_.push_back({directory, name});
    return true;
  }

  // DWARF 5: both tables describe the format of their rows.
  void read_tables(DwarfCursor& header) {
    read_table(header,
               [&](const LineTable::FileRow& row) { table_.directories_.push_back(row.name); });
    read_table(header, [&](const LineTable::FileRow& row) { table_.files_.push_back(row); });
  }
  template <typename Add>
  void read_table(DwarfCursor& header, Add add) {
    struct Column {
      uint64_t content;
      uint64_t form;
    };
    std::vector<Column> columns(header.number<uint8_t>());
    for (Column& column : columns) {
      column.content = header.uleb();
      column.form = header.uleb();
    }
    uint64_t rows = header.uleb();
    for (uint64_t row = 0; row < rows && header.ok(); ++row) {
      size_t before = header.offset();
      LineTable::FileRow read;
      for (const Column& column : columns) {
        DwarfValue value = read_value(header, column.form, 0, sizes_, unit_.offset);
        if (column.content == dw_lnct::kPath) {
          read.name = unit_.text(value);
        } else if (column.content == dw_lnct::kDirectoryIndex) {
          read.directory = value.number;
        }
      }
      if (!header.ok() || header.offset() == before) {
        header.fail();  // empty rows would allow any number of them
        return;
      }
      add(read);
    }
  }

  void execute(DwarfCursor& cursor) {
    if (line_range_ == 0) {
      limits_.add_damage();
      return;
    }
    // Most opcodes divide by the range. This is exact for numbers below 256.
    unsigned reciprocal = 65536U / line_range_ + 1;
    while (!cursor.at_end()) {
      uint8_t opcode = cursor.number<uint8_t>();
      if (opcode >= opcode_base_) {
        auto adjusted = static_cast<unsigned>(opcode - opcode_base_);
        unsigned advance = adjusted * reciprocal >> 16U;
        state_.address += uint64_t{advance} * instruction_size_;
        state_.line +=
            static_cast<uint64_t>(int64_t{line_base_} + int64_t{adjusted - advance * line_range_});
        append();
      } else if (opcode == dw_lns::kExtended) {
        execute_extended(cursor);
      } else {
        execute_standard(cursor, opcode);
      }
    }
    if (!cursor.ok()) {
      limits_.add_damage();
    }
  }

  void execute_standard(DwarfCursor& cursor, uint8_t opcode) {
    switch (opcode) {
      case dw_lns::kCopy:
        append();
        break;
      case dw_lns::kAdvancePc:
        state_.address += cursor.uleb() * instruction_size_;
        break;
      case dw_lns::kAdvanceLine:
        state_.line += static_cast<uint64_t>(cursor.sleb());
        break;
      case dw_lns::kSetFile:
        state_.file = cursor.uleb();
        break;
      case dw_lns::kSetColumn:
        state_.column = cursor.uleb();
        break;
      case dw_lns::kConstAddPc:
        state_.address += uint64_t{(255U - opcode_base_) / line_range_} * instruction_size_;
        break;
      case dw_lns::kFixedAdvancePc:
        state_.address += cursor.number<uint16_t>();
        break;
      default:
        for (unsigned operand = 0; operand < operands_[opcode]; ++operand) {
          cursor.uleb();
        }
        break;
    }
  }

  void execute_extended(DwarfCursor& cursor) {
    uint64_t size = cursor.uleb();
    DwarfCursor operand(cursor.take(size));
    if (!cursor.ok() || size == 0) {
      return;
    }
    switch (operand.number<uint8_t>()) {
      case dw_lne::kEndSequence:
        end_sequence();
        break;
      case dw_lne::kSetAddress:
        state_.address = operand.unsigned_of(operand.remaining());
        break;
      case dw_lne::kDefineFile:
        read_old_file(operand);
        break;
      default:
        break;
    }
  }

  void append() {
    std::vector<LineTable::Row>& rows = table_.rows_;
    if (rows.size() == first_row_) {
      begin_ = state_.address;
    }
    uint64_t offset = state_.address - begin_;
    usable_ = usable_ && offset <= UINT32_MAX;
    auto fitting = [](uint64_t number) {
      return number <= UINT32_MAX ? static_cast<uint32_t>(number) : 0;
    };
    LineTable::Row row{static_cast<uint32_t>(offset),
                       fitting(state_.file),
                       fitting(state_.line),
                       fitting(state_.column)};
    if (rows.size() > first_row_) {
      LineTable::Row& last = rows.back();
      if (last.offset == row.offset) {
        last = row;
        return;
      }
      if (last.file == row.file && last.line == row.line && last.column == row.column) {
        return;
      }
      rising_ = rising_ && last.offset < row.offset;
    }
    rows.push_back(row);
  }

  void end_sequence() {
    std::vector<LineTable::Row>& rows = table_.rows_;
    size_t count = rows.size() - first_row_;
    // Code that the linker dropped starts at 0, or at the largest address.
    bool keeps = count > 0 && usable_ && begin_ != 0 && begin_ < state_.address;
    if (keeps && !rising_) {
      std::stable_sort(rows.begin() + static_cast<ptrdiff_t>(first_row_),
                       rows.end(),
                       [](const auto& a, const auto& b) { return a.offset < b.offset; });
    }
    if (keeps && !wanted_.empty()) {
      answer_wanted(rows);
      keeps = false;
    }
    if (keeps) {
      table_.sequences_.push_back({begin_, state_.address, first_row_, count});
    } else {
      rows.resize(first_row_);
    }
    first_row_ = rows.size();
    usable_ = rising_ = true;
    state_ = State();
  }

  // Where sequences overlap, the one that starts last wins. In valid files they do not overlap. In
  // others only the first few count, because each walks over all addresses that it covers.
  void answer_wanted(std::span<const LineTable::Row> rows) {
    constexpr uint64_t kMaxAnswers = 8;
    auto first = std::ranges::lower_bound(wanted_, begin_);
    size_t row = 0;
    for (auto at = static_cast<size_t>(first - wanted_.begin());
         at < wanted_.size() && wanted_[at] < state_.address &&
         answered_ < kMaxAnswers * wanted_.size();
         ++at, ++answered_) {
      uint64_t offset = wanted_[at] - begin_;
      while (row + 1 < rows.size() && rows[row + 1].offset <= offset) {
        ++row;
      }
      if (begin_ >= answered_by_[at]) {
        answered_by_[at] = begin_;
        table_.wanted_[at] = {rows[row].file, rows[row].line, rows[row].column};
      }
    }
  }

  const DwarfUnit& unit_;
  LineTable& table_;
  DwarfLimits& limits_;
  std::span<const uint64_t> wanted_;
  std::vector<uint64_t> answered_by_;  // begin of the sequence that answered each address
  uint64_t answered_ = 0;
  FormSizes sizes_;
  uint8_t instruction_size_ = 1;
  int8_t line_base_ = 0;
  uint8_t line_range_ = 1;
  uint8_t opcode_base_ = 1;
  std::array<uint8_t, 256> operands_{};

  State state_;
  size_t first_row_ = 0;  // of the open sequence
  uint64_t begin_ = 0;
  bool usable_ = true;
  bool rising_ = true;
};

LineTable LineTable::read(const DwarfUnit& unit,
                          DwarfLimits& limits,
                          std::span<const uint64_t> wanted) {
  LineTable table;
  table.compiled_in_ = unit.directory;
  LineProgram program(unit, table, limits, wanted);
  if (unit.line_offset) {
    program.run(*unit.line_offset);
  }
  return table;
}

std::optional<LinePosition> LineTable::find(uint64_t address) const {
  // In valid files sequences do not overlap; in others only the nearest few are checked.
  constexpr int kNearest = 4;
  auto sequence = std::ranges::upper_bound(sequences_, address, {}, &Sequence::begin);
  for (int tried = 0; tried < kNearest && sequence != sequences_.begin(); ++tried) {
    --sequence;
    if (address >= sequence->end) {
      continue;
    }
    auto first = rows_.begin() + static_cast<ptrdiff_t>(sequence->first);
    auto after = std::upper_bound(first,
                                  first + static_cast<ptrdiff_t>(sequence->rows),
                                  address - sequence->begin,
                                  [](uint64_t at, const Row& row) { return at < row.offset; });
    if (after == first) {
      return {};
    }
    const Row& row = *(after - 1);
    return LinePosition{row.file, row.line, row.column};
  }
  return {};
}

SourceFile LineTable::file(uint64_t number) const {
  // Up to DWARF 4, files and directories count from 1, and directory 0 is the compiler's directory.
  if (version_ < 5) {
    if (number == 0 || number > files_.size()) {
      return {};
    }
    const FileRow& row = files_[static_cast<size_t>(number) - 1];
    std::string_view directory;
    if (row.directory != 0 && row.directory <= directories_.size()) {
      directory = directories_[static_cast<size_t>(row.directory) - 1];
    }
    return {compiled_in_, directory, row.name};
  }
  if (number >= files_.size()) {
    return {};
  }
  const FileRow& row = files_[static_cast<size_t>(number)];
  std::string_view directory;
  if (row.directory < directories_.size()) {
    directory = directories_[static_cast<size_t>(row.directory)];
  }
  // Directory 0 is the compiler's directory, stored once more.
  return {row.directory == 0 ? std::string_view() : compiled_in_, directory, row.name};
}

size_t LineTable::memory_bytes() const {
  return rows_.capacity() * sizeof(Row) + sequences_.capacity() * sizeof(Sequence) +
         files_.capacity() * sizeof(FileRow) + directories_.capacity() * sizeof(std::string_view) +
         wanted_.capacity() * sizeof(LinePosition);
}

}  // namespace wick

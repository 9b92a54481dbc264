// SPDX-License-Identifier: Apache-2.0
// The part that the views of code share: access to the tables of a report of code, and the arrows
// of jumps.
//
//     CodeReport    the sections of a report, found by shape and role
//     CostTable     one of its tables, with its columns found by role
//     draw_jumps    jumps as text beside the rows
//
// The tables point into the report, which must live longer.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "report/report.h"

namespace wick {

// The columns that a table of code can have; null if the table lacks one.
struct CostTable {
  CostTable() = default;
  explicit CostTable(const Table& table);

  const Table* table = nullptr;  // null if the report has no such table
  const ReportColumn* self = nullptr;
  const ReportColumn* self_share = nullptr;
  const ReportColumn* part = nullptr;
  const ReportColumn* total = nullptr;
  const ReportColumn* total_share = nullptr;
  const ReportColumn* samples = nullptr;

  size_t rows() const { return table == nullptr ? 0 : table->rows(); }
  // Text of a column in a row; empty if the table lacks the column.
  const std::string& text(ColumnRole role, size_t row) const;
  uint32_t line(size_t row) const;
  // The row's part of the function's self cost.
  double heat(size_t row) const;
  bool is_sampled(size_t row) const { return self != nullptr && self->numbers[row] > 0; }
  // Rows with samples, hottest first.
  std::vector<size_t> hottest() const;
  // Whether the table has all costs that a listing shows in every row.
  bool has_costs() const { return self != nullptr && self_share != nullptr && samples != nullptr; }

 private:
  std::array<const ReportColumn*, kRoles> by_role_ = {};
  const ReportColumn* line_ = nullptr;
};

struct CodeReport {
  CostTable instructions;
  CostTable lines;
  CostTable function;  // one row; no row if the report is about a file
  CostTable parts;
  CostTable others;
};
// An Error if the report has no code.
Result<CodeReport> code_report(const Report& report);

// Jumps between rows of the instructions table, as (from, to).
std::vector<std::pair<uint32_t, uint32_t>> jumps(const CostTable& instructions);

// The jumps as box-drawing characters beside the rows. All texts have the same width.
struct DrawnJumps {
  std::vector<std::string> at;     // beside each row
  std::vector<std::string> above;  // for lines between a row and the previous row
  size_t width = 0;
};
// The shortest jumps are nearest to the code. A jump for which `lanes` lanes are too few gets only
// its arrow head.
DrawnJumps draw_jumps(const std::vector<std::pair<uint32_t, uint32_t>>& jumps,
                      size_t rows,
                      size_t lanes);

// Replaces tabs with blanks up to the next multiple of four.
std::string without_tabs(std::string_view text);

}  // namespace wick

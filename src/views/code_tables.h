// SPDX-License-Identifier: Apache-2.0
// What the views of code share: the tables of a report of code, and the arrows of jumps.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "report/report.h"

namespace wick {

// The columns that a table of code may have; null where it lacks one.
struct CostTable {
  CostTable() = default;
  explicit CostTable(const Table& table);

  const Table* table = nullptr;  // null when the report has no such table
  const ReportColumn* self = nullptr;
  const ReportColumn* self_share = nullptr;
  const ReportColumn* part = nullptr;
  const ReportColumn* total = nullptr;
  const ReportColumn* total_share = nullptr;
  const ReportColumn* samples = nullptr;

  size_t rows() const { return table == nullptr ? 0 : table->rows(); }
  // Text of a column in a row; empty when there is no such column.
  const std::string& text(ColumnRole role, size_t row) const;
  uint32_t line(size_t row) const;
  // Part of the function's self: what heat means.
  double heat(size_t row) const;
  bool is_sampled(size_t row) const { return self != nullptr && self->numbers[row] > 0; }
  // Rows with samples, hottest first.
  std::vector<size_t> hottest() const;
  // Whether the costs that a listing shows of every row are there.
  bool has_costs() const { return self != nullptr && self_share != nullptr && samples != nullptr; }

 private:
  std::array<const ReportColumn*, kRoles> by_role_ = {};
  const ReportColumn* line_ = nullptr;
};

// The sections of a report of code, each found by its shape and its role.
struct CodeReport {
  CostTable instructions;
  CostTable lines;
  CostTable function;  // one row; no rows when the report is about a file
  CostTable parts;
  CostTable others;
};
// A sentence when the report has no code.
Result<CodeReport> code_report(const Report& report);

// Jumps between rows of the instructions table, as (from, to).
std::vector<std::pair<uint32_t, uint32_t>> jumps(const CostTable& instructions);

// The jumps drawn beside the rows, made of box characters. All texts have the same width.
struct DrawnJumps {
  std::vector<std::string> at;     // beside each row
  std::vector<std::string> above;  // for what is written between a row and the one before
  size_t width = 0;
};
// The shortest jumps are nearest to the code. Of jumps that would need more than `lanes` lanes only
// the head is drawn.
DrawnJumps draw_jumps(const std::vector<std::pair<uint32_t, uint32_t>>& jumps,
                      size_t rows,
                      size_t lanes);

// Tabs as blanks up to the next multiple of four.
std::string without_tabs(std::string_view text);

}  // namespace wick

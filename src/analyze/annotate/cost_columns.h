// SPDX-License-Identifier: Apache-2.0
// The columns that tables of code have in common.
//
//     CostColumns      self with its share and its part of the function, total, and samples
//     SourceColumns    source lines: file, number and text
//     subject_table    one row, with the costs of the whole function
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "analyze/summary.h"

namespace wick {

class CostColumns {
 public:
  explicit CostColumns(const Measure& measure, const Cost& function)
      : measure_(measure), function_(function) {}

  void add(const Cost& self, const Cost& total) {
    selfs_.push_back(self);
    totals_.push_back(total);
  }
  void append_to(Table& table, bool with_total) const {
    table.columns.push_back(weight_column(measure_, "self", ColumnRole::kSelf, selfs_));
    table.columns.push_back(share_column(measure_, "self", ColumnRole::kSelf, selfs_));
    ReportColumn part = number_column("function_share", "of function", ColumnRole::kPart);
    for (const Cost& self : selfs_) {
      part.numbers.push_back(function_.weight == 0 ? 0
                                                   : static_cast<double>(self.weight) /
                                                         static_cast<double>(function_.weight));
    }
    table.columns.push_back(std::move(part));
    if (with_total) {
      table.columns.push_back(weight_column(measure_, "total", ColumnRole::kTotal, totals_));
      table.columns.push_back(share_column(measure_, "total", ColumnRole::kTotal, totals_));
    }
    table.columns.push_back(samples_column(selfs_));
  }

 private:
  const Measure& measure_;
  Cost function_;
  std::vector<Cost> selfs_;
  std::vector<Cost> totals_;
};

class SourceColumns {
 public:
  void add(std::string_view file, uint32_t line, std::string_view text) {
    file_.text.push_back(file);
    line_.numbers.push_back(line);
    text_.text.push_back(line == 0 ? "[no line]" : text);
  }
  void append_to(Table& table) && {
    table.columns.push_back(std::move(file_));
    table.columns.push_back(std::move(line_));
    table.columns.push_back(std::move(text_));
  }

 private:
  ReportColumn file_ = text_column("file", "file", ColumnRole::kFile);
  ReportColumn line_ = count_column("line", "line", ColumnRole::kLine);
  ReportColumn text_ = text_column("source", "source", ColumnRole::kSource);
};

inline Table subject_table(const Measure& measure, const Cost& self, const Cost& total) {
  Table table;
  table.columns.push_back(weight_column(measure, "self", ColumnRole::kSelf, {self}));
  table.columns.push_back(share_column(measure, "self", ColumnRole::kSelf, {self}));
  table.columns.push_back(weight_column(measure, "total", ColumnRole::kTotal, {total}));
  table.columns.push_back(share_column(measure, "total", ColumnRole::kTotal, {total}));
  table.columns.push_back(samples_column({self}));
  return table;
}

// Adds a text to a table of one row.
inline void add_text(Table& table, const char* name, ColumnRole role, std::string_view value) {
  ReportColumn column = text_column(name, name, role);
  column.text.push_back(value);
  table.columns.push_back(std::move(column));
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// The cost columns that instructions, lines and parts of a function have in common: self with its
// share and its part of the function, total, and samples.
#pragma once

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

}  // namespace wick

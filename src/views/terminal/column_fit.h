// SPDX-License-Identifier: Apache-2.0
// The columns of a table on a terminal, and how a line becomes as narrow as the terminal.
//
// Names come first: a reader of a profile looks for a function. So half of the line is for names
// that need it. Space is saved in this order: names without template arguments, prose that is
// wrapped in its column or below its row, fewer columns (intervals first, then by importance), cut
// names. A column with importance kKey is never dropped, so a very narrow terminal still shows
// names and costs.
#pragma once

#include <vector>

#include "report/report.h"

namespace wick {

inline constexpr size_t kColumnGap = 2;  // blanks between columns
inline constexpr size_t kMinNameColumns = 24;
inline constexpr size_t kMinTextColumns = 16;

// Narrow lines drop the column with the highest rank first; 0 is never dropped.
inline constexpr int kExtraRank = 3;
inline constexpr int kIntervalRank = 4;  // above all columns, so intervals go first, from the right

// A column on the screen. A share with an interval makes two of them.
struct ShownColumn {
  const ReportColumn* column;
  bool interval = false;  // the interval, not the value
  size_t natural = 0;     // the width of its widest cell
  size_t width = 0;
  int rank = 0;
  bool below = false;    // prose that has lines of its own below its row
  bool wrapped = false;  // prose in several lines of its column

  bool is_text() const { return !interval && column->kind == ColumnKind::kText; }
  bool is_name() const { return is_text() && column->role == ColumnRole::kName; }
  bool is_prose() const {
    return is_text() && column->role == ColumnRole::kDetail && column->tones.empty();
  }
};

// Makes the line at most `width` wide, if it is wider. `folded_names` is the width that names need
// without template arguments and parameters.
void fit_columns(std::vector<ShownColumn>& shown, size_t width, size_t folded_names);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "query/answer_table.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

#include "report/columns.h"

namespace wick::sql {
namespace {

constexpr int64_t kExact = int64_t{1} << 53;

class AnswerColumn {
 public:
  // Returns the bytes that the value takes.
  size_t add(const Statement& row, size_t column) {
    CellKind kind = row.kind(column);
    bool is_exact = kind == CellKind::kInteger && std::abs(row.integer(column)) <= kExact &&
                    row.integer(column) != std::numeric_limits<int64_t>::min();
    if (!is_text_ && (kind == CellKind::kText || (kind == CellKind::kInteger && !is_exact))) {
      become_text();
    }
    if (is_text_) {
      text_.push_back(row.text(column));
      return row.text(column).size() + sizeof(uint32_t);
    }
    is_whole_ = is_whole_ && kind != CellKind::kNumber;
    numbers_.push_back(kind == CellKind::kNull      ? std::numeric_limits<double>::quiet_NaN()
                       : kind == CellKind::kInteger ? static_cast<double>(row.integer(column))
                                                    : row.number(column));
    return sizeof(double);
  }

  bool is_text() const { return is_text_; }

  ReportColumn finish(std::string name, bool is_name) && {
    ReportColumn column;
    if (is_text_) {
      column = text_column(name, name, is_name ? ColumnRole::kName : ColumnRole::kDetail);
      column.text = std::move(text_);
    } else {
      column = is_whole_ ? count_column(name, name) : number_column(name, name);
      column.numbers = std::move(numbers_);
    }
    return column;
  }

 private:
  void become_text() {
    is_text_ = true;
    for (double number : numbers_) {
      if (std::isnan(number)) {
        text_.push_back("");
      } else if (is_whole_) {
        text_.push_back(fmt::format("{}", static_cast<int64_t>(number)));
      } else {
        text_.push_back(fmt::format("{}", number));
      }
    }
    numbers_ = {};
  }

  bool is_text_ = false;
  bool is_whole_ = true;
  std::vector<double> numbers_;
  TextValues text_;
};

// Names of a report's columns are keys: a second "id" is "id_2".
std::vector<std::string> unique_names(const Statement& rows) {
  std::vector<std::string> names;
  for (size_t column = 0; column < rows.columns(); ++column) {
    std::string name = rows.column_name(column);
    for (int number = 2; std::ranges::find(names, name) != names.end(); ++number) {
      name = fmt::format("{}_{}", rows.column_name(column), number);
    }
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

Result<Table> answer_table(Statement& rows, size_t most_bytes) {
  std::vector<AnswerColumn> columns(rows.columns());
  size_t bytes = 0;
  while (TRY(rows.step())) {
    for (size_t column = 0; column < columns.size(); ++column) {
      bytes += columns[column].add(rows, column);
    }
    if (bytes > most_bytes) {
      return fail("too many rows");
    }
  }
  std::vector<std::string> names = unique_names(rows);
  auto first_text = std::ranges::find_if(columns, &AnswerColumn::is_text) - columns.begin();
  Table table;
  for (size_t column = 0; column < columns.size(); ++column) {
    table.columns.push_back(
        std::move(columns[column])
            .finish(std::move(names[column]), static_cast<std::ptrdiff_t>(column) == first_text));
  }
  return table;
}

}  // namespace wick::sql

// SPDX-License-Identifier: Apache-2.0
// A table that is stored by columns, for millions of rows. `Fields<Plain>` is the row type, and
// `Fields<Column>` has one column for each of its fields. All columns have the same length. A
// column with one value in all rows takes almost no memory (column.h).
#pragma once

#include <algorithm>
#include <cstddef>

#include "profile/column.h"
#include "profile/schema.h"

namespace wick {

template <template <template <typename> typename> typename Fields>
class ColumnTable : public Fields<Column> {
 public:
  using value_type = Fields<Plain>;

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  value_type operator[](size_t index) const {
    value_type row;
    for_each_column<value_type>([&](const auto& column) {
      column.of(row) = column.of(static_cast<const Fields<Column>&>(*this))[index];
    });
    return row;
  }

  void push_back(const value_type& row) {
    for_each_column<value_type>([&](const auto& column) {
      column.of(static_cast<Fields<Column>&>(*this)).push_back(column.of(row));
    });
    ++size_;
  }

  size_t memory_bytes() const {
    size_t bytes = 0;
    for_each_column<value_type>([&](const auto& column) {
      bytes += column.of(static_cast<const Fields<Column>&>(*this)).memory_bytes();
    });
    return bytes;
  }

 private:
  size_t size_ = 0;
};

template <template <template <typename> typename> typename Fields>
struct TableRows<ColumnTable<Fields>> {
  using Row = Fields<Plain>;
  static Row at(const ColumnTable<Fields>& rows, size_t index) { return rows[index]; }
};

// The value of a column in a row, for tables stored by rows and by columns.
template <typename Rows, typename Column>
auto value_at(const Rows& rows, size_t row, const Column& column) {
  decltype(auto) record = row_at(rows, row);
  return column.of(record);
}
template <template <template <typename> typename> typename Fields, typename Column>
auto value_at(const ColumnTable<Fields>& rows, size_t row, const Column& column) {
  return column.of(rows)[row];
}

// Number of rows that contain every value of a column: one for a constant column.
template <typename Rows, typename Column>
size_t rows_to_check(const Rows& rows, const Column&) {
  return rows.size();
}
template <template <template <typename> typename> typename Fields, typename Column>
size_t rows_to_check(const ColumnTable<Fields>& rows, const Column& column) {
  return column.of(rows).is_constant() ? std::min<size_t>(1, rows.size()) : rows.size();
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// The tables of a database that others wrote. each() gives the rows of a table with the columns that
// the caller names; a column that the table lacks is NULL in every row.
//
// Invariant: rows come with ascending ids, and never more of them than the file has room for, so a
// tree of pages that leads in circles ends, too.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/builder.h"
#include "query/sqlite.h"

namespace wick::sqlite {

// The row that is being read: the id, then the columns, from 0.
class StoredRow {
 public:
  explicit StoredRow(const sql::Statement& row) : row_(row) {}

  int64_t id() const { return row_.integer(0); }
  bool is_null(size_t column) const { return row_.kind(column + 1) == sql::CellKind::kNull; }
  // 0 for NULL, and for a text without a number.
  int64_t integer(size_t column) const { return row_.integer(column + 1); }
  double number(size_t column) const { return row_.number(column + 1); }
  bool is_fraction(size_t column) const { return row_.kind(column + 1) == sql::CellKind::kNumber; }
  std::optional<int64_t> integer_if_known(size_t column) const {
    return is_null(column) ? std::nullopt : std::optional(integer(column));
  }
  // Valid until the next row.
  std::string_view text(size_t column) const { return row_.text(column + 1); }

 private:
  const sql::Statement& row_;
};

class StoredTables {
 public:
  // The bytes must outlive this.
  static Result<StoredTables> open(Bytes bytes);

  // Whether this is a plain table with an id.
  bool has(std::string_view table) const;
  template <typename Use>
  void each(std::string_view table, std::initializer_list<std::string_view> columns, Use use) {
    std::optional<sql::Statement> rows = open_table(table, columns);
    if (!rows) {
      return;
    }
    int64_t last = 0;
    uint64_t count = 0;
    while (step(table, *rows)) {
      StoredRow row(*rows);
      if (count > 0 && row.id() <= last) {
        add_damage(table, "its rows are not in order");
        return;
      }
      last = row.id();
      if (++count > most_rows_) {
        add_damage(table, "it has more rows than the file has room for");
        return;
      }
      use(row);
    }
  }

  void report(ProfileBuilder& builder) const;

 private:
  static constexpr uint64_t kBytesOfRow = 2;

  StoredTables(sql::Database database, uint64_t bytes)
      : database_(std::move(database)), most_rows_(bytes / kBytesOfRow) {}
  std::optional<sql::Statement> open_table(std::string_view table,
                                           std::initializer_list<std::string_view> columns);
  bool step(std::string_view table, sql::Statement& rows);
  void add_damage(std::string_view table, std::string_view why);

  sql::Database database_;
  uint64_t most_rows_;
  std::vector<std::string> damage_;
};

}  // namespace wick::sqlite

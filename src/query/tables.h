// SPDX-License-Identifier: Apache-2.0
// The tables that SQL sees, as rows of this type: perf's (perf_tables.cc), with the names, columns
// and views of perf's own export, and wick's beside them (wick_tables.cc).
//
// Queries read them directly (query.h), and a written database has the same tables with the same
// rows (formats/sqlite). A table has rows with consecutive ids; the first column is the id. An id of
// 0 means "unknown" in every table, as in perf's. perf's tables have that row; wick's have NULL
// instead of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "query/derived_rows.h"
#include "query/sqlite.h"

namespace wick::sql {

// What a cell is read from: the rows of a profile, and what follows from them.
struct Rows {
  const Profile& profile;
  const DerivedRows& derived;
};

struct TableColumn {
  std::string_view name;
  std::string_view type;
  // The cell of row 0, 1 ...; null for the id.
  void (*read)(const Rows& rows, size_t row, Cell& cell);
  // In perf's row of unknown values; a text if it is not null.
  int64_t unknown = 0;
  const char* unknown_text = nullptr;
  bool in_files = true;  // a written database stores it
};

struct SqlTable {
  std::string_view name;
  std::string_view help;
  std::span<const TableColumn> columns;
  size_t (*count)(const Rows& rows);  // without the row of unknown values
  bool has_unknown_row = false;
};

struct ViewText {
  std::string query;
  std::string columns;  // "id, time, cpu"
};

struct SqlView {
  std::string_view name;
  std::string_view help;
  ViewText (*text)();
};

// perf's first. A view comes after the views that it uses.
std::span<const SqlTable> perf_tables();
std::span<const SqlView> perf_views();
std::span<const SqlTable> wick_tables();
std::vector<const SqlTable*> all_tables();

// perf's constant table of kinds of branches: "(0, 'no branch'), ...".
inline constexpr std::string_view kBranchTypesTable = "branch_types";
inline constexpr std::string_view kBranchTypesHelp = "perf: names for the bits of branches";
std::string branch_types_rows();

// A table of a profile for SQLite.
class ProfileTableSource : public RowSource {
 public:
  ProfileTableSource(const SqlTable& table, const Rows& rows) : table_(table), rows_(rows) {}

  std::vector<SourceColumn> columns() const override;
  int64_t first_id() const override { return table_.has_unknown_row ? 0 : 1; }
  int64_t end_id() const override { return static_cast<int64_t>(table_.count(rows_)) + 1; }
  void read(int64_t id, size_t column, Cell& cell) const override;

 private:
  const SqlTable& table_;
  const Rows& rows_;
};

// A profile with its tables. The profile must outlive it.
class ProfileTables {
 public:
  explicit ProfileTables(const Profile& profile);
  ProfileTables(const ProfileTables&) = delete;  // its parts refer to each other
  ProfileTables& operator=(const ProfileTables&) = delete;

  const Rows& rows() const { return rows_; }
  // Adds all tables to a schema of the database, which must not outlive this.
  Result<> add_to(Database& database, std::string_view schema) const;

 private:
  DerivedRows derived_;
  Rows rows_;
  std::vector<ProfileTableSource> sources_;  // in the order of all_tables()
};

// "id, name, ...": the columns that a written database stores.
std::string stored_columns(const SqlTable& table);
// `CREATE TABLE schema.name (...)` with those columns.
std::string create_table(std::string_view schema, const SqlTable& table);

// Adds branch_types and the views to a schema that has the tables.
Result<> add_constants_and_views(Database& database, std::string_view schema);

}  // namespace wick::sql

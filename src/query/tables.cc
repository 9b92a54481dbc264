// SPDX-License-Identifier: Apache-2.0
#include "query/tables.h"

namespace wick::sql {

std::vector<const SqlTable*> all_tables() {
  std::vector<const SqlTable*> tables;
  for (const SqlTable& table : perf_tables()) {
    tables.push_back(&table);
  }
  for (const SqlTable& table : wick_tables()) {
    tables.push_back(&table);
  }
  return tables;
}

std::vector<SourceColumn> ProfileTableSource::columns() const {
  std::vector<SourceColumn> columns;
  for (const TableColumn& column : table_.columns) {
    columns.push_back({.name = column.name,
                       .type = column.type,
                       // A weight can be a fraction.
                       .has_whole_numbers = column.type == "bigint" && column.name != "period"});
  }
  return columns;
}

void ProfileTableSource::read(int64_t id, size_t column, Cell& cell) const {
  const TableColumn& read = table_.columns[column];
  if (id > 0) {
    read.read(rows_, static_cast<size_t>(id - 1), cell);
  } else if (read.unknown_text != nullptr) {
    cell.borrow(read.unknown_text);
  } else {
    cell.set(read.unknown);
  }
}

ProfileTables::ProfileTables(const Profile& profile) : derived_(profile), rows_{profile, derived_} {
  for (const SqlTable* table : all_tables()) {
    sources_.emplace_back(*table, rows_);
  }
}

Result<> ProfileTables::add_to(Database& database, std::string_view schema) const {
  std::vector<const SqlTable*> tables = all_tables();
  for (size_t i = 0; i < tables.size(); ++i) {
    TRY(database.add_table(schema, tables[i]->name, sources_[i]));
  }
  return {};
}

std::string stored_columns(const SqlTable& table) {
  std::string text;
  for (const TableColumn& column : table.columns) {
    if (column.in_files) {
      text += fmt::format("{}{}", text.empty() ? "" : ", ", quoted(column.name));
    }
  }
  return text;
}

std::string create_table(std::string_view schema, const SqlTable& table) {
  std::string text;
  for (const TableColumn& column : table.columns) {
    if (column.in_files) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", quoted(column.name), column.type);
    }
  }
  return fmt::format("CREATE TABLE {}.{} ({})", quoted(schema), table.name, text);
}

Result<> add_constants_and_views(Database& database, std::string_view schema) {
  std::string target = quoted(schema);
  TRY(
      database.run(fmt::format("CREATE TABLE {0}.{1} (id integer NOT NULL PRIMARY KEY, name "
                               "varchar(80)); INSERT INTO {0}.{1} VALUES {2}",
                               target,
                               kBranchTypesTable,
                               branch_types_rows())));
  for (const SqlView& view : perf_views()) {
    TRY(database.run(fmt::format("CREATE VIEW {}.{} AS {}", target, view.name, view.text().query)));
  }
  return {};
}

}  // namespace wick::sql

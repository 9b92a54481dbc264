// SPDX-License-Identifier: Apache-2.0
#include "formats/sqlite/stored_tables.h"

namespace wick::sqlite {
namespace {

// What a reader may take: enough for any page cache, and far from what a machine has.
constexpr int64_t kReaderMemory = int64_t{1} << 30;

}  // namespace

Result<StoredTables> StoredTables::open(Bytes bytes) {
  sql::Database database = TRY(sql::Database::of_file(bytes));
  database.set_bounds({.memory_bytes = kReaderMemory});
  Result<sql::Statement> schema = database.prepare("SELECT rootpage, name FROM sqlite_schema");
  if (!schema) {
    return std::unexpected(schema.error());
  }
  TRY(schema->step());
  return StoredTables(std::move(database), bytes.size());
}

bool StoredTables::has(std::string_view table) const {
  Result<sql::Statement> rows =
      database_.prepare("SELECT rootpage, name, type, sql FROM sqlite_schema");
  if (!rows) {
    return false;
  }
  constexpr std::string_view kPlain = "CREATE TABLE ";  // SQLite stores these words so
  for (Result<bool> row = rows->step(); row && *row; row = rows->step()) {
    if (rows->text(1) == table && rows->text(2) == "table" && rows->text(3).starts_with(kPlain)) {
      return true;
    }
  }
  return false;
}

std::optional<sql::Statement> StoredTables::open_table(
    std::string_view table, std::initializer_list<std::string_view> columns) {
  if (!has(table)) {
    return std::nullopt;
  }
  std::string from = fmt::format(" FROM main.{} NOT INDEXED", sql::quoted(table));
  std::string query = "SELECT id";
  for (std::string_view column : columns) {
    std::string name = sql::quoted(column);
    bool is_known = database_.prepare(fmt::format("SELECT {}{}", name, from)).has_value();
    query += ", " + (is_known ? name : "NULL");
  }
  Result<sql::Statement> rows = database_.prepare(query + from);
  if (!rows) {
    add_damage(table, rows.error().message);
    return std::nullopt;
  }
  return std::move(*rows);
}

bool StoredTables::step(std::string_view table, sql::Statement& rows) {
  Result<bool> row = rows.step();
  if (!row) {
    add_damage(table, row.error().message);
  }
  return row && *row;
}

void StoredTables::add_damage(std::string_view table, std::string_view why) {
  damage_.push_back(fmt::format("{}: {}", table, why));
}

void StoredTables::report(ProfileBuilder& builder) const {
  for (const std::string& damage : damage_) {
    builder.add_loss({.reason = "tables of the database are damaged: rows are missing",
                      .what = "tables",
                      .detail = damage});
  }
}

}  // namespace wick::sqlite

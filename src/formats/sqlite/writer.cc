// SPDX-License-Identifier: Apache-2.0
// Writes the tables of query/tables.h: SQLite copies each from a table that reads the profile, in the
// order of its ids, into a database in memory without a journal. Then come perf's indexes, the
// constant table and the views.
#include "base/check.h"
#include "formats/sqlite/sqlite.h"
#include "query/tables.h"

namespace wick::sqlite {
namespace {

constexpr std::string_view kTarget = "main";
constexpr std::string_view kSource = "source";

// Stacks with their text: the names from the root to each stack, by the ids of their parents.
constexpr std::string_view kStacksView =
    "CREATE VIEW stacks_view AS SELECT s.*, (WITH RECURSIVE path(id, parent, text) AS ("
    "SELECT s.id, s.parent_id, s.function UNION ALL "
    "SELECT p.id, p.parent_id, iif(p.function IS NULL, text, p.function || ';' || text) "
    "FROM path JOIN stacks p ON p.id = path.parent) "
    "SELECT text FROM path WHERE parent IS NULL) AS folded FROM stacks s";

Result<> copy_table(sql::Database& database, const sql::SqlTable& table) {
  TRY(database.run(sql::create_table(kTarget, table)));
  std::string columns = sql::stored_columns(table);
  return database.run(fmt::format(
      "INSERT INTO {0}.{2} ({3}) SELECT {3} FROM {1}.{2}", kTarget, kSource, table.name, columns));
}

Result<> write_database(const Profile& profile, Output& out) {
  sql::ProfileTables tables(profile);
  sql::Database database = TRY(sql::Database::in_memory());
  TRY(database.run("PRAGMA journal_mode = OFF"));
  TRY(database.add_schema(kSource));
  TRY(tables.add_to(database, kSource));
  for (const sql::SqlTable* table : sql::all_tables()) {
    TRY(copy_table(database, *table));
  }
  TRY(sql::add_constants_and_views(database, kTarget));
  TRY(database.run(std::string(kStacksView)));
  TRY(
      database.run("CREATE INDEX pcpid_idx ON calls (parent_call_path_id);"
                   "CREATE INDEX pid_idx ON calls (parent_id)"));
  return database.use_file([&](std::string_view bytes) { out.write(bytes); });
}

}  // namespace

Result<> write(const Profile& profile, const FlagValues&, Output& out) {
  if (Result<> done = write_database(profile, out); !done) {
    return fail("The database cannot be written: {}.", done.error().message);
  }
  return {};
}

}  // namespace wick::sqlite

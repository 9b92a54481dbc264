// SPDX-License-Identifier: Apache-2.0
// Three parts: virtual tables over RowSource, what queries may do, and the two classes over the
// library's functions.
//
// A query plan is one number: column * kPlanBase + the bits of the comparisons that SQLite passes.
// The filter of a cursor turns their values into a range of ids (column 0) or of an index.
#include "query/sqlite.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include <sqlite3.h>

#include "base/check.h"

namespace wick::sql {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

// ---- Virtual tables ----

enum PlanBits : int {
  kEqual = 1,
  kAtLeast = 2,
  kAbove = 4,
  kAtMost = 8,
  kBelow = 16,
  kDescending = 32
};
constexpr int kPlanBase = 64;

// The ids of a table's rows, sorted by the value of a column. Rows without a value are not in it.
struct ColumnIndex {
  std::vector<int64_t> values;
  std::vector<int64_t> ids;
};

ColumnIndex make_index(const RowSource& source, size_t column) {
  std::vector<std::pair<int64_t, int64_t>> rows;
  Cell cell;
  for (int64_t id = source.first_id(); id < source.end_id(); ++id) {
    source.read(id, column, cell);
    if (cell.kind() == CellKind::kInteger) {
      rows.emplace_back(cell.integer(), id);
    }
  }
  std::ranges::sort(rows);
  ColumnIndex index;
  index.values.reserve(rows.size());
  index.ids.reserve(rows.size());
  for (auto [value, id] : rows) {
    index.values.push_back(value);
    index.ids.push_back(id);
  }
  return index;
}

struct TableOfSource {
  sqlite3_vtab base;
  const RowSource* source;
  std::vector<bool> can_index;  // by column
  std::map<size_t, ColumnIndex>* indexes;
};

struct Cursor {
  sqlite3_vtab_cursor base;
  const RowSource* source;
  const ColumnIndex* index;  // null: rows in the order of their ids
  int64_t at;                // an id, or a row of the index
  int64_t begin;
  int64_t end;
  bool descending;
  Cell cell;
};

TableOfSource& table_of(sqlite3_vtab* table) {
  return *reinterpret_cast<TableOfSource*>(table);
}
Cursor& cursor_of(sqlite3_vtab_cursor* cursor) {
  return *reinterpret_cast<Cursor*>(cursor);
}

int connect(sqlite3* database,
            void* source_pointer,
            int,
            const char* const*,
            sqlite3_vtab** table,
            char**) {
  const auto* source = static_cast<const RowSource*>(source_pointer);
  std::string declaration = "CREATE TABLE x(";
  auto made = std::make_unique<TableOfSource>();
  for (const SourceColumn& column : source->columns()) {
    declaration += fmt::format(
        "{}{} {}", made->can_index.empty() ? "" : ",", quoted(column.name), column.type);
    made->can_index.push_back(column.has_whole_numbers);
  }
  int status = sqlite3_declare_vtab(database, (declaration + ")").c_str());
  if (status != SQLITE_OK) {
    return status;
  }
  // Views use the tables although the schema is not trusted.
  sqlite3_vtab_config(database, SQLITE_VTAB_INNOCUOUS);
  made->source = source;
  made->indexes = new std::map<size_t, ColumnIndex>;
  *table = &made.release()->base;
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
  delete table_of(table).indexes;
  delete &table_of(table);
  return SQLITE_OK;
}

int bit_of(unsigned char op) {
  switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
      return kEqual;
    case SQLITE_INDEX_CONSTRAINT_GE:
      return kAtLeast;
    case SQLITE_INDEX_CONSTRAINT_GT:
      return kAbove;
    case SQLITE_INDEX_CONSTRAINT_LE:
      return kAtMost;
    case SQLITE_INDEX_CONSTRAINT_LT:
      return kBelow;
    default:
      return 0;
  }
}

// The comparisons of each column, and what they cost together.
struct ColumnPlan {
  int bits = 0;
  double rows = 0;
  double cost = 0;
};

ColumnPlan plan_of(const sqlite3_index_info& info, int column, double all_rows) {
  ColumnPlan plan;
  for (int i = 0; i < info.nConstraint; ++i) {
    const auto& constraint = info.aConstraint[i];
    if (constraint.usable != 0 && std::max(constraint.iColumn, 0) == column) {
      plan.bits |= bit_of(constraint.op);
    }
  }
  bool above = (plan.bits & (kAtLeast | kAbove)) != 0;
  bool below = (plan.bits & (kAtMost | kBelow)) != 0;
  double share = (plan.bits & kEqual) != 0 ? (column == 0 ? 1 / all_rows : 0.001)
                 : above && below          ? 0.02
                                           : 0.3;
  plan.rows = std::max(1.0, all_rows * share);
  // An index must be made first: as much as reading the table once, spread over many lookups.
  plan.cost = plan.rows * (column == 0 ? 1 : 1.5) + (column == 0 ? 1 : 20);
  return plan;
}

int best_index(sqlite3_vtab* base, sqlite3_index_info* info) {
  const TableOfSource& table = table_of(base);
  double all_rows =
      std::max(1.0, static_cast<double>(table.source->end_id() - table.source->first_id()));
  int chosen = -1;
  ColumnPlan best{.rows = all_rows, .cost = all_rows + 10};
  for (size_t column = 0; column < table.can_index.size(); ++column) {
    ColumnPlan plan = plan_of(*info, static_cast<int>(column), all_rows);
    if (plan.bits != 0 && (column == 0 || table.can_index[column]) && plan.cost < best.cost) {
      best = plan;
      chosen = static_cast<int>(column);
    }
  }
  int arguments = 0;
  int taken = 0;
  // One comparison of each kind, in the order of the bits: equal, at least, above, at most, below.
  for (int bit = kEqual; bit <= kBelow && chosen >= 0; bit *= 2) {
    for (int i = 0; i < info->nConstraint; ++i) {
      const auto& constraint = info->aConstraint[i];
      if (constraint.usable != 0 && std::max(constraint.iColumn, 0) == chosen &&
          bit_of(constraint.op) == bit && (taken & bit) == 0) {
        taken |= bit;
        info->aConstraintUsage[i].argvIndex = ++arguments;
      }
    }
  }
  int order_column = std::max(chosen, 0);
  bool sorted = info->nOrderBy == 1 && std::max(info->aOrderBy[0].iColumn, 0) == order_column;
  if (sorted) {
    info->orderByConsumed = 1;
    taken |= info->aOrderBy[0].desc != 0 ? kDescending : 0;
  }
  if (chosen == 0 && (taken & kEqual) != 0) {
    info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
  }
  info->idxNum = order_column * kPlanBase + taken;
  info->estimatedCost = best.cost;
  info->estimatedRows = static_cast<sqlite3_int64>(best.rows);
  return SQLITE_OK;
}

int open_cursor(sqlite3_vtab* table, sqlite3_vtab_cursor** cursor) {
  auto* made = new Cursor{};
  made->source = table_of(table).source;
  *cursor = &made->base;
  return SQLITE_OK;
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete &cursor_of(cursor);
  return SQLITE_OK;
}

// Whole numbers from `low` to `high`, both included.
struct WholeRange {
  int64_t low = kMin;
  int64_t high = kMax;
  bool empty = false;

  void at_least(int64_t value) { low = std::max(low, value); }
  void at_most(int64_t value) { high = std::min(high, value); }
};

// Narrows the range by one comparison. A value that is not a number narrows nothing: SQLite checks
// each row again.
void narrow(WholeRange& range, int bit, sqlite3_value* value) {
  constexpr double kLimit = 9.2e18;
  int type = sqlite3_value_type(value);
  if (type == SQLITE_NULL) {
    range.empty = true;
    return;
  }
  if (type == SQLITE_INTEGER) {
    int64_t whole = sqlite3_value_int64(value);
    if ((bit & (kEqual | kAtLeast)) != 0) {
      range.at_least(whole);
    }
    if ((bit & (kEqual | kAtMost)) != 0) {
      range.at_most(whole);
    }
    if (bit == kAbove) {
      range.empty = range.empty || whole == kMax;
      range.at_least(whole == kMax ? whole : whole + 1);
    }
    if (bit == kBelow) {
      range.empty = range.empty || whole == kMin;
      range.at_most(whole == kMin ? whole : whole - 1);
    }
    return;
  }
  double number = sqlite3_value_double(value);
  if (type != SQLITE_FLOAT || !(std::abs(number) < kLimit)) {
    return;
  }
  if ((bit & (kEqual | kAtLeast | kAbove)) != 0) {
    range.at_least(static_cast<int64_t>(std::ceil(number)));
  }
  if ((bit & (kEqual | kAtMost | kBelow)) != 0) {
    range.at_most(static_cast<int64_t>(std::floor(number)));
  }
}

int filter(sqlite3_vtab_cursor* base, int plan, const char*, int, sqlite3_value** arguments) {
  Cursor& cursor = cursor_of(base);
  TableOfSource& table = table_of(base->pVtab);
  auto column = static_cast<size_t>(plan / kPlanBase);
  WholeRange range;
  int next = 0;
  for (int bit = kEqual; bit <= kBelow; bit *= 2) {
    if ((plan & bit) != 0) {
      narrow(range, bit, arguments[next++]);
    }
  }
  cursor.index = nullptr;
  cursor.descending = (plan & kDescending) != 0;
  bool is_scan = next == 0;
  if (column == 0) {
    cursor.begin = std::max(range.low, table.source->first_id());
    cursor.end = std::min(range.high, table.source->end_id() - 1) + 1;
  } else {
    auto found = table.indexes->find(column);
    if (found == table.indexes->end()) {
      found = table.indexes->emplace(column, make_index(*table.source, column)).first;
    }
    const std::vector<int64_t>& values = found->second.values;
    cursor.index = &found->second;
    cursor.begin = std::ranges::lower_bound(values, range.low) - values.begin();
    cursor.end = std::ranges::upper_bound(values, range.high) - values.begin();
  }
  if (range.empty && !is_scan) {
    cursor.end = cursor.begin;
  }
  cursor.end = std::max(cursor.end, cursor.begin);
  cursor.at = cursor.descending ? cursor.end - 1 : cursor.begin;
  return SQLITE_OK;
}

int next(sqlite3_vtab_cursor* base) {
  Cursor& cursor = cursor_of(base);
  cursor.at += cursor.descending ? -1 : 1;
  return SQLITE_OK;
}

int at_end(sqlite3_vtab_cursor* base) {
  const Cursor& cursor = cursor_of(base);
  return cursor.at < cursor.begin || cursor.at >= cursor.end ? 1 : 0;
}

int64_t id_of(const Cursor& cursor) {
  return cursor.index == nullptr ? cursor.at : cursor.index->ids[static_cast<size_t>(cursor.at)];
}

int read_id(sqlite3_vtab_cursor* base, sqlite3_int64* id) {
  *id = id_of(cursor_of(base));
  return SQLITE_OK;
}

int read_column(sqlite3_vtab_cursor* base, sqlite3_context* context, int column) {
  Cursor& cursor = cursor_of(base);
  int64_t id = id_of(cursor);
  if (column == 0) {
    sqlite3_result_int64(context, id);
    return SQLITE_OK;
  }
  Cell& cell = cursor.cell;
  cursor.source->read(id, static_cast<size_t>(column), cell);
  switch (cell.kind()) {
    case CellKind::kNull:
      break;  // the result is NULL already
    case CellKind::kInteger:
      sqlite3_result_int64(context, cell.integer());
      break;
    case CellKind::kNumber:
      sqlite3_result_double(context, cell.number());
      break;
    case CellKind::kText:
      sqlite3_result_text64(context,
                            cell.text().data() == nullptr ? "" : cell.text().data(),
                            cell.text().size(),
                            cell.is_borrowed() ? SQLITE_STATIC : SQLITE_TRANSIENT,
                            SQLITE_UTF8);
      break;
  }
  return SQLITE_OK;
}

const sqlite3_module kSourceModule = {
    .iVersion = 0,
    .xCreate = connect,
    .xConnect = connect,
    .xBestIndex = best_index,
    .xDisconnect = disconnect,
    .xDestroy = disconnect,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = filter,
    .xNext = next,
    .xEof = at_end,
    .xColumn = read_column,
    .xRowid = read_id,
    .xUpdate = nullptr,
    .xBegin = nullptr,
    .xSync = nullptr,
    .xCommit = nullptr,
    .xRollback = nullptr,
    .xFindFunction = nullptr,
    .xRename = nullptr,
    .xSavepoint = nullptr,
    .xRelease = nullptr,
    .xRollbackTo = nullptr,
    .xShadowName = nullptr,
};

// ---- What queries may do ----

// Functions that reach beyond the database.
constexpr std::string_view kDeniedFunctions[] = {"load_extension", "fts3_tokenizer"};

int authorize(void*, int action, const char*, const char* second, const char*, const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return std::ranges::find(kDeniedFunctions, std::string_view(second)) ==
                     std::end(kDeniedFunctions)
                 ? SQLITE_OK
                 : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

// For tables of a file: only their columns. No function of a hostile schema is evaluated.
int authorize_tables(void*, int action, const char*, const char*, const char*, const char*) {
  return action == SQLITE_SELECT || action == SQLITE_READ ? SQLITE_OK : SQLITE_DENY;
}

std::unexpected<Error> failed(sqlite3* database) {
  return fail("{}", sqlite3_errmsg(database));
}

}  // namespace

// ---- Statement ----

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Statement::Statement(sqlite3_stmt* statement) : statement_(statement) {}

Result<bool> Statement::step() {
  int status = sqlite3_step(statement_.get());
  if (status == SQLITE_ROW || status == SQLITE_DONE) {
    return status == SQLITE_ROW;
  }
  return failed(sqlite3_db_handle(statement_.get()));
}

size_t Statement::columns() const {
  return static_cast<size_t>(sqlite3_column_count(statement_.get()));
}

std::string Statement::column_name(size_t column) const {
  const char* name = sqlite3_column_name(statement_.get(), static_cast<int>(column));
  return name == nullptr ? "" : name;
}

CellKind Statement::kind(size_t column) const {
  switch (sqlite3_column_type(statement_.get(), static_cast<int>(column))) {
    case SQLITE_NULL:
      return CellKind::kNull;
    case SQLITE_INTEGER:
      return CellKind::kInteger;
    case SQLITE_FLOAT:
      return CellKind::kNumber;
    default:
      return CellKind::kText;
  }
}

int64_t Statement::integer(size_t column) const {
  return sqlite3_column_int64(statement_.get(), static_cast<int>(column));
}

double Statement::number(size_t column) const {
  return sqlite3_column_double(statement_.get(), static_cast<int>(column));
}

std::string_view Statement::text(size_t column) const {
  const void* text = sqlite3_column_blob(statement_.get(), static_cast<int>(column));
  int size = sqlite3_column_bytes(statement_.get(), static_cast<int>(column));
  return text == nullptr
             ? std::string_view()
             : std::string_view(static_cast<const char*>(text), static_cast<size_t>(size));
}

// ---- Database ----

struct Database::State {
  std::vector<std::unique_ptr<Function>> functions;
  bool bounds_memory = false;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();

  static int check_time(void* state) {
    return std::chrono::steady_clock::now() > static_cast<State*>(state)->deadline ? 1 : 0;
  }
  static void call(sqlite3_context* context, int count, sqlite3_value** values);
};

void Database::State::call(sqlite3_context* context, int count, sqlite3_value** values) {
  const auto& function = *static_cast<const Function*>(sqlite3_user_data(context));
  std::vector<std::optional<std::string_view>> arguments;
  for (int i = 0; i < count; ++i) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(values[i]));
    arguments.push_back(text == nullptr
                            ? std::nullopt
                            : std::optional(std::string_view(
                                  text, static_cast<size_t>(sqlite3_value_bytes(values[i])))));
  }
  Result<bool> result = function(arguments);
  if (result) {
    sqlite3_result_int(context, *result ? 1 : 0);
  } else {
    sqlite3_result_error(context, result.error().message.c_str(), -1);
  }
}

void Database::Close::operator()(sqlite3* database) const {
  sqlite3_close_v2(database);
}

Database::Database(sqlite3* database) : state_(std::make_unique<State>()), database_(database) {}
Database::Database(Database&&) noexcept = default;

Database::~Database() {
  if (state_ != nullptr && state_->bounds_memory) {
    sqlite3_hard_heap_limit64(0);  // it is one for the process
  }
}

Result<Database> Database::in_memory() {
  sqlite3* opened = nullptr;
  int status = sqlite3_open_v2(":memory:",
                               &opened,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                               nullptr);
  Database database(opened);
  if (status != SQLITE_OK) {
    return fail("SQLite cannot be started: {}.", sqlite3_errstr(status));
  }
  sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  // A word in double quotes is a column, never a text: else a mistyped name would be a constant.
  sqlite3_db_config(opened, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
  TRY(database.run("PRAGMA temp_store=MEMORY"));
  return database;
}

Result<Database> Database::of_file(Bytes bytes) {
  Database database = TRY(in_memory());
  sqlite3* opened = database.database_.get();
  sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_limit(opened, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, 1 << 20);
  sqlite3_limit(opened, SQLITE_LIMIT_SQL_LENGTH, 1 << 16);
  sqlite3_limit(opened, SQLITE_LIMIT_EXPR_DEPTH, 50);
  sqlite3_limit(opened, SQLITE_LIMIT_COLUMN, 200);
  TRY(database.run("PRAGMA cell_size_check=ON"));
  // SQLite does not write to a database that is opened as read-only.
  auto* data = reinterpret_cast<unsigned char*>(const_cast<std::byte*>(bytes.data()));
  auto size = static_cast<sqlite3_int64>(bytes.size());
  if (sqlite3_deserialize(opened, "main", data, size, size, SQLITE_DESERIALIZE_READONLY) !=
      SQLITE_OK) {
    return failed(opened);
  }
  sqlite3_set_authorizer(opened, authorize_tables, nullptr);
  return database;
}

Result<> Database::run(const std::string& statements) {
  if (sqlite3_exec(database_.get(), statements.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return failed(database_.get());
  }
  return {};
}

Result<> Database::add_schema(std::string_view name) {
  return run(fmt::format("ATTACH ':memory:' AS {}", quoted(name)));
}

Result<> Database::add_table(std::string_view schema,
                             std::string_view name,
                             const RowSource& source) {
  std::string module = fmt::format("{}_{}", schema, name);
  auto* pointer = const_cast<RowSource*>(&source);  // a callback's argument is not const
  if (sqlite3_create_module(database_.get(), module.c_str(), &kSourceModule, pointer) !=
      SQLITE_OK) {
    return failed(database_.get());
  }
  return run(fmt::format(
      "CREATE VIRTUAL TABLE {}.{} USING {}", quoted(schema), quoted(name), quoted(module)));
}

Result<> Database::add_function(const std::string& name, Function function) {
  state_->functions.push_back(std::make_unique<Function>(std::move(function)));
  if (sqlite3_create_function_v2(database_.get(),
                                 name.c_str(),
                                 -1,
                                 SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                 state_->functions.back().get(),
                                 State::call,
                                 nullptr,
                                 nullptr,
                                 nullptr) != SQLITE_OK) {
    return failed(database_.get());
  }
  return {};
}

void Database::allow_only_reading() {
  sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_set_authorizer(database_.get(), authorize, nullptr);
}

void Database::set_bounds(const Bounds& bounds) {
  constexpr int kStepsBetweenChecks = 20'000;
  sqlite3_hard_heap_limit64(bounds.memory_bytes);
  state_->bounds_memory = bounds.memory_bytes != 0;
  if (bounds.seconds > 0) {
    state_->deadline = std::chrono::steady_clock::now() +
                       std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                           std::chrono::duration<double>(bounds.seconds));
    sqlite3_progress_handler(database_.get(), kStepsBetweenChecks, State::check_time, state_.get());
  }
}

Result<Statement> Database::prepare(std::string_view query) const {
  if (query.size() > 1'000'000) {
    return fail("the query has more than a million bytes");
  }
  sqlite3_stmt* made = nullptr;
  const char* rest = nullptr;
  if (sqlite3_prepare_v2(
          database_.get(), query.data(), static_cast<int>(query.size()), &made, &rest) !=
      SQLITE_OK) {
    return failed(database_.get());
  }
  Statement statement(made);
  if (made == nullptr) {
    return fail("the query is empty");
  }
  sqlite3_stmt* second = nullptr;
  const char* end = query.data() + query.size();
  while (rest < end && second == nullptr) {
    const char* before = rest;
    int status =
        sqlite3_prepare_v2(database_.get(), rest, static_cast<int>(end - rest), &second, &rest);
    if (status != SQLITE_OK || second != nullptr || rest == before) {
      sqlite3_finalize(second);
      return fail("these are several statements; wick runs one query at a time");
    }
  }
  return statement;
}

Result<> Database::use_file(const std::function<void(std::string_view)>& use) const {
  sqlite3_int64 size = 0;
  std::unique_ptr<unsigned char, void (*)(void*)> bytes(
      sqlite3_serialize(database_.get(), "main", &size, 0), sqlite3_free);
  if (bytes == nullptr) {
    return fail("not enough memory for a database of {} bytes", size);
  }
  use(std::string_view(reinterpret_cast<const char*>(bytes.get()), static_cast<size_t>(size)));
  return {};
}

std::string quoted(std::string_view name) {
  std::string text = "\"";
  for (char byte : name) {
    text += byte;
    if (byte == '"') {
      text += byte;
    }
  }
  return text + "\"";
}

}  // namespace wick::sql

// SQLite can load extensions, which no query may do (see above). A static program that refers to
// dlopen gets a warning of the linker, so the static build refers to this function instead.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the name is the linker's (--wrap)
extern "C" void* __wrap_dlopen(const char*, int) {
  return nullptr;
}

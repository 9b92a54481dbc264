// SPDX-License-Identifier: Apache-2.0
// SQLite, as wick uses it. sqlite.cc is the only file that includes its header.
//
//     Database   a database in memory: empty, or the bytes of a file, which it does not change
//     Statement  one query: step() moves to its next row
//     RowSource  a table without a copy: SQLite asks for the cells of a row when a query needs them
//     Cell       one value
//
// A RowSource has rows with consecutive ids. SQLite finds a row by its id directly. For any other
// column with whole numbers, the first query that compares it with values makes an index in memory
// (row numbers, sorted by value), so that joins and ranges of time do not read the whole table again
// for each row.
//
// Queries come from users and files from strangers. allow_only_reading() denies everything but
// SELECT and harmless functions; Bounds limit time and memory. The bound on memory is one for the
// process: SQLite counts what all databases use together.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace wick::sql {

enum class CellKind : uint8_t { kNull, kInteger, kNumber, kText };

// One value. A text is borrowed (it lives as long as the table) or stored here.
class Cell {
 public:
  void null() { kind_ = CellKind::kNull; }
  void set(int64_t value) {
    kind_ = CellKind::kInteger;
    integer_ = value;
  }
  void set(double value) {
    kind_ = CellKind::kNumber;
    number_ = value;
  }
  void borrow(std::string_view text) {
    kind_ = CellKind::kText;
    is_borrowed_ = true;
    text_ = text;
  }
  void store(std::string text) {
    kind_ = CellKind::kText;
    is_borrowed_ = false;
    stored_ = std::move(text);
    text_ = stored_;
  }

  CellKind kind() const { return kind_; }
  int64_t integer() const { return integer_; }
  double number() const { return number_; }
  std::string_view text() const { return text_; }
  bool is_borrowed() const { return is_borrowed_; }

 private:
  CellKind kind_ = CellKind::kNull;
  bool is_borrowed_ = false;
  int64_t integer_ = 0;
  double number_ = 0;
  std::string_view text_;
  std::string stored_;
};

struct SourceColumn {
  std::string_view name;
  std::string_view type;           // as in CREATE TABLE: "bigint"
  bool has_whole_numbers = false;  // or no value: an index can be made
};

// The cells of a table. Column 0 is the row's id; SQLite never asks for its cell.
class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual std::vector<SourceColumn> columns() const = 0;
  virtual int64_t first_id() const = 0;
  virtual int64_t end_id() const = 0;
  virtual void read(int64_t id, size_t column, Cell& cell) const = 0;
};

struct Bounds {
  double seconds = 0;        // 0: no bound
  int64_t memory_bytes = 0;  // 0: no bound
};

class Statement {
 public:
  Statement(Statement&&) noexcept = default;
  Statement& operator=(Statement&&) noexcept = default;

  // True if there is a row; false after the last.
  Result<bool> step();

  size_t columns() const;
  std::string column_name(size_t column) const;
  CellKind kind(size_t column) const;
  int64_t integer(size_t column) const;
  double number(size_t column) const;
  // Valid until the next step.
  std::string_view text(size_t column) const;

 private:
  friend class Database;
  explicit Statement(sqlite3_stmt* statement);
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

// An argument of a function: null for NULL.
using Arguments = std::span<const std::optional<std::string_view>>;

class Database {
 public:
  static Result<Database> in_memory();
  // The bytes must outlive the database. Views, triggers and functions of the file cannot run.
  static Result<Database> of_file(Bytes bytes);

  Database(Database&&) noexcept;
  ~Database();

  // Runs statements of our own.
  Result<> run(const std::string& statements);
  // Adds a schema, which is empty.
  Result<> add_schema(std::string_view name);
  // The source must outlive the database.
  Result<> add_table(std::string_view schema, std::string_view name, const RowSource& source);
  // A function of texts. An error of it ends the query.
  using Function = std::function<Result<bool>(Arguments)>;
  Result<> add_function(const std::string& name, Function function);

  void allow_only_reading();
  void set_bounds(const Bounds& bounds);

  // Exactly one query.
  Result<Statement> prepare(std::string_view query) const;

  // Calls use(bytes) with the whole database as the bytes of a file.
  Result<> use_file(const std::function<void(std::string_view)>& use) const;

 private:
  struct State;
  struct Close {
    void operator()(sqlite3* database) const;
  };
  explicit Database(sqlite3* database);

  std::unique_ptr<State> state_;  // what callbacks use; freed after the connection
  std::unique_ptr<sqlite3, Close> database_;
};

// "name" in double quotes.
std::string quoted(std::string_view name);

}  // namespace wick::sql

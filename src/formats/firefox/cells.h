// SPDX-License-Identifier: Apache-2.0
// Reads a table of a Firefox profile into columns: either one list for each column (processed
// profiles), or {schema, data} with one list for each row (Gecko profiles).
//
// A value of the wrong type becomes null and is counted. A row that ends early has null in its last
// columns. If a file has a column twice, the last one counts.
#pragma once

#include <span>
#include <vector>

#include "base/json_reader.h"
#include "formats/firefox/tables.h"
#include "profile/builder.h"

namespace wick::firefox {

class CellReader {
 public:
  CellReader(JsonReader& json, ProfileBuilder& builder) : json_(json), builder_(builder) {}

  // The table that follows a key. `other(key)` reads the value of another key and returns true, or
  // returns false.
  template <typename Other>
  void read_table(std::span<const ColumnTarget> targets, Other other) {
    if (!begin_object()) {
      return;
    }
    schema_.clear();
    while (json_.next_key()) {
      if (!read_part(targets) && !other(json_.text())) {
        json_.skip();
      }
    }
  }
  void read_table(std::span<const ColumnTarget> targets) {
    read_table(targets, [](std::string_view) { return false; });
  }

  // One value, whose first token is the current one.
  int32_t integer();
  int64_t address();
  double number();
  StringId text();
  // The number at the start of a number or of a text such as "1234.1"; -1 if there is none.
  int64_t leading_number();

  // The bracket of the value that follows a key; otherwise skips the value.
  bool begin_object() { return begin(JsonToken::kBeginObject); }
  bool begin_array() { return begin(JsonToken::kBeginArray); }

  // Whether the current token begins an object; otherwise skips the value, and counts it.
  bool is_object() {
    if (!json_.is(JsonToken::kBeginObject)) {
      wrong_value();
      return false;
    }
    return true;
  }

  uint64_t wrong_values() const { return wrong_values_; }

 private:
  static constexpr size_t kMaxSchemaColumns = 64;
  static constexpr size_t kMaxMarkerFields = 64;

  bool begin(JsonToken bracket);
  // Null and the number after counting a value of the wrong type.
  void wrong_value();
  bool read_part(std::span<const ColumnTarget> targets);
  void read_schema(std::span<const ColumnTarget> targets);
  void read_rows();
  void read_row();
  void read_column(const ColumnTarget& target);
  void read_cell(const ColumnTarget& target);
  static void clear(const ColumnTarget& target);
  static void push_null(const ColumnTarget& target);
  void read_marker(MarkerTable& markers);
  void read_marker_field(MarkerTable& markers, struct MarkerData& data);
  void read_marker_stack(int32_t& stack);
  void add_field(MarkerTable& markers, StringId key);

  JsonReader& json_;
  ProfileBuilder& builder_;
  std::vector<const ColumnTarget*> schema_;  // by index in a row; null for unknown columns
  uint64_t wrong_values_ = 0;
};

}  // namespace wick::firefox

// SPDX-License-Identifier: Apache-2.0
// The tables of an OTLP dictionary, decoded: rows are safe to look up with any number. Row 0 of a
// table is the empty row that the format requires; a table without rows has it, too.
//
// Invariant: memory is linear in the size of the message.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/protobuf.h"

namespace wick::otlp {

struct StoredMapping {
  uint64_t start = 0;
  uint64_t limit = 0;
  uint64_t offset = 0;
  uint64_t file = 0;
  std::vector<uint64_t> attributes;
};
struct StoredLine {
  uint64_t function = 0;
  uint64_t line = 0;
  uint64_t column = 0;
};
struct StoredLocation {
  uint64_t mapping = 0;
  uint64_t address = 0;
  std::vector<StoredLine> lines;
  std::vector<uint64_t> attributes;
};
struct StoredFunction {
  uint64_t name = 0;
  uint64_t linkage_name = 0;
  uint64_t file = 0;
  uint64_t line = 0;
};
struct StoredLink {
  std::string_view trace;
  std::string_view span;
};

// A value of an attribute: a text or a number.
struct AnyValue {
  std::string text;
  int64_t number = 0;
  bool is_number = false;
  bool is_set = false;
};
struct StoredAttribute {
  std::string key;
  AnyValue value;
  std::string unit;
};

class Dictionary {
 public:
  // The bytes must outlive this.
  void decode(Bytes bytes);

  std::string_view text(uint64_t row) const { return row_or_empty(strings_, row); }
  const StoredMapping& mapping(uint64_t row) const { return row_or_empty(mappings_, row); }
  const StoredLocation& location(uint64_t row) const { return row_or_empty(locations_, row); }
  const StoredFunction& function(uint64_t row) const { return row_or_empty(functions_, row); }
  const StoredLink& link(uint64_t row) const { return row_or_empty(links_, row); }
  const StoredAttribute& attribute(uint64_t row) const { return row_or_empty(attributes_, row); }
  Bytes stack(uint64_t row) const { return row_or_empty(stacks_, row); }

  size_t location_count() const { return locations_.size(); }
  size_t attribute_count() const { return attributes_.size(); }
  size_t stack_count() const { return stacks_.size(); }

  AnyValue value(Bytes bytes) const;
  // An attribute of a resource, which has its own texts.
  StoredAttribute key_value(Bytes bytes) const;

  uint64_t damaged_rows = 0;
  mutable uint64_t missing_rows = 0;  // references to rows that do not exist

 private:
  template <typename Row>
  const Row& row_or_empty(const std::vector<Row>& rows, uint64_t row) const {
    static const Row kEmpty{};
    if (row < rows.size()) {
      return rows[static_cast<size_t>(row)];
    }
    missing_rows += row == 0 ? 0U : 1U;
    return kEmpty;
  }
  void add_row(uint32_t table, Bytes bytes);
  void take_attributes();

  std::vector<StoredMapping> mappings_;
  std::vector<StoredLocation> locations_;
  std::vector<StoredFunction> functions_;
  std::vector<StoredLink> links_;
  std::vector<std::string_view> strings_;
  std::vector<StoredAttribute> attributes_;
  std::vector<Bytes> attribute_rows_;  // decoded last: they refer to strings
  std::vector<Bytes> stacks_;
};

// Appends the numbers of a list field.
void append_numbers(const ProtoReader& field, std::vector<uint64_t>& numbers);

}  // namespace wick::otlp

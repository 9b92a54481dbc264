// SPDX-License-Identifier: Apache-2.0
// The tables of a pprof message, without its samples: the first pass of the reader.
//
// Samples come before the tables that they refer to, so the reader makes two passes. This one skips
// the samples and decodes everything else. Nothing is resolved here: texts are still numbers of
// strings, and ids may not exist. text() and the find functions are safe with any number.
//
// Invariant: memory is linear in the size of the message.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/pod_vector.h"

namespace wick::pprof {

struct ValueType {
  uint64_t type = 0;  // these and all texts: numbers of strings
  uint64_t unit = 0;
};
struct Mapping {
  uint64_t id = 0;
  uint64_t start = 0;
  uint64_t limit = 0;
  uint64_t offset = 0;
  uint64_t file = 0;
  uint64_t build_id = 0;
};
struct Function {
  uint64_t id = 0;
  uint64_t name = 0;
  uint64_t linkage_name = 0;
  uint64_t file = 0;
  int64_t start_line = 0;
};
struct Line {
  uint64_t function = 0;  // an id
  int64_t line = 0;
  int64_t column = 0;
};
struct Location {
  uint64_t id = 0;
  uint64_t mapping = 0;  // an id
  uint64_t address = 0;
  size_t first_line = 0;  // in Message::lines, innermost first
  size_t line_count = 0;
};

// Finds rows by their ids. Ids are 1, 2, 3 ... in most files, but may be any numbers.
class RowIds {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // The id of the next row; not 0.
  void add(uint64_t id) { ids_.push_back(id); }
  // After the last add(). The first row with an id has it. Returns the number of rows with an id
  // of an earlier row.
  uint64_t finish();
  uint32_t find(uint64_t id) const;

 private:
  PodVector<uint64_t> ids_;
  std::vector<uint32_t> dense_;                        // row by id
  std::vector<std::pair<uint64_t, uint32_t>> sparse_;  // id and row, sorted
};

// What was wrong with the message.
struct Damage {
  uint64_t unread_bytes = 0;       // after the first byte that is not a field
  uint64_t bad_rows = 0;           // rows of tables with bytes that are not fields
  uint64_t repeated_ids = 0;       // rows with an id that is 0 or belongs to another row
  uint64_t wrong_kinds = 0;        // fields of another type than the format defines
  mutable uint64_t bad_texts = 0;  // references to strings that do not exist
};

struct Message {
  std::vector<ValueType> value_types;
  std::vector<Mapping> mappings;
  std::vector<Function> functions;
  std::vector<Location> locations;
  std::vector<Line> lines;
  PodVector<uint64_t> strings;  // offsets of their fields' bytes, and their sizes
  RowIds mapping_rows;
  RowIds function_rows;
  RowIds location_rows;
  uint64_t drop_frames = 0;
  uint64_t keep_frames = 0;
  int64_t time_ns = 0;
  int64_t duration_ns = 0;
  ValueType period_type;
  int64_t period = 0;
  std::vector<uint64_t> comments;
  uint64_t default_type = 0;
  uint64_t documentation = 0;
  uint64_t sample_count = 0;
  Damage damage;
  Bytes bytes;

  static Message decode(Bytes bytes);
  // A string; empty if it does not exist, which is counted.
  std::string_view text(uint64_t string) const;
};

}  // namespace wick::pprof

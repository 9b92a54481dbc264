// SPDX-License-Identifier: Apache-2.0
// The content of a callgrind file as tables: functions, and the costs of their lines and calls.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/hash.h"
#include "base/id_index.h"
#include "base/string_table.h"

namespace wick::callgrind {

inline constexpr uint32_t kNoFunction = std::numeric_limits<uint32_t>::max();

// Every record once. Records have == and a function hash_of.
template <typename Record>
class RowTable {
 public:
  uint32_t intern(const Record& record) {
    uint64_t hash = hash_of(record);
    uint32_t row = index_.find(hash, [&](uint32_t r) { return rows_[r] == record; });
    if (row == IdIndex::kNone) {
      row = static_cast<uint32_t>(rows_.size());
      rows_.push_back(record);
      index_.add(hash, [&](uint32_t r) { return hash_of(rows_[r]); });
    }
    return row;
  }
  const Record& operator[](uint32_t row) const { return rows_[row]; }
  size_t size() const { return rows_.size(); }

 private:
  std::vector<Record> rows_;
  IdIndex index_;
};

struct GraphFunction {
  StringId name;
  StringId file;
  StringId object;
  friend bool operator==(const GraphFunction&, const GraphFunction&) = default;
};

inline uint64_t hash_of(const GraphFunction& function) {
  return hash_mix(hash_mix(function.name.value, function.file.value), function.object.value);
}

using FunctionTable = RowTable<GraphFunction>;

// A line of a function with its own cost, or a call with the total cost of the callee.
struct GraphItem {
  uint32_t function = 0;
  uint32_t callee = kNoFunction;  // kNoFunction: the line's own cost
  StringId file;                  // of the line
  uint32_t line = 0;
  uint64_t address = 0;
};

// The lines and calls of one thread.
struct CallGraph {
  int64_t pid = -1;
  int64_t thread = -1;
  std::vector<GraphItem> items;
  std::vector<int64_t> costs;  // one for each item and event
  bool has_calls = false;
};

}  // namespace wick::callgrind

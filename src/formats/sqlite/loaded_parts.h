// SPDX-License-Identifier: Apache-2.0
// What both readers of this folder need: ids of the file as rows of the profile, and sums that stay
// within bounds.
#pragma once

#include <cmath>
#include <unordered_map>

#include "formats/sqlite/stored_tables.h"
#include "profile/builder.h"
#include "profile/validate.h"

namespace wick::sqlite {

// Rows by their ids in the file. Ids are 1, 2, 3 ... or anything else.
template <typename Row>
class RowsById {
 public:
  void add(int64_t id, Row row) { rows_.insert_or_assign(id, row); }
  Row of(int64_t id, Row otherwise = {}) const {
    auto found = rows_.find(id);
    return found == rows_.end() ? otherwise : found->second;
  }

 private:
  std::unordered_map<int64_t, Row> rows_;
};

// Adds up what readers must limit.
class WeightLimit {
 public:
  bool allows(int64_t weight, uint64_t count) {
    uint64_t size = weight < 0 ? ~static_cast<uint64_t>(weight) + 1 : static_cast<uint64_t>(weight);
    if (size >= kMaxTotalWeight - weights_ || count >= kMaxTotalWeight - counts_) {
      return false;
    }
    weights_ += size;
    counts_ += count;
    return true;
  }

 private:
  uint64_t weights_ = 0;
  uint64_t counts_ = 0;
};

inline int64_t time_or_none(const StoredRow& row, size_t column) {
  return row.is_null(column) ? kNoTime : row.integer(column);
}

inline uint16_t cpu_or_none(const StoredRow& row, size_t column) {
  int64_t cpu = row.is_null(column) ? -1 : row.integer(column);
  return cpu < 0 || cpu >= kNoCpu ? kNoCpu : static_cast<uint16_t>(cpu);
}

inline uint32_t line_number(int64_t line) {
  return line <= 0 || line > UINT32_MAX ? 0 : static_cast<uint32_t>(line);
}

void read_perf_tables(StoredTables& tables, ProfileBuilder& builder);
void read_wick_tables(StoredTables& tables, ProfileBuilder& builder);

}  // namespace wick::sqlite

// SPDX-License-Identifier: Apache-2.0
// A table in which every distinct record is stored once.
//
// The record type supplies three overloads: `hash_of(record)`; `is_same(known, record)`, whether
// `record` is the row `known`; and `absorb(known, record)`, which adds the fields that only
// `record` knows. After update() changes a row, lookups find it by its new value.
#pragma once

#include <utility>

#include "base/id.h"
#include "base/id_index.h"

namespace wick {

template <typename Record>
bool is_same(const Record& known, const Record& record) {
  return known == record;
}
template <typename Record>
void absorb(Record&, const Record&) {}

template <typename IdType, typename Record>
class InternedTable {
 public:
  // Always adds a new row, even if an equal one exists.
  IdType add(const Record& record) {
    IdType id = rows_.push_back(record);
    index_.add(hash_of(record), hash_of_row());
    return id;
  }
  IdType intern(const Record& record) {
    return intern(record, [&](IdType, const Record& known) { return is_same(known, record); });
  }
  // The same, but `same(id, known)` decides which row is equal.
  template <typename Same>
  IdType intern(const Record& record, Same same) {
    uint64_t hash = hash_of(record);
    uint32_t row = index_.find(hash, [&](uint32_t r) { return same(IdType(r), rows_[IdType(r)]); });
    if (row != IdIndex::kNone) {
      absorb(rows_[IdType(row)], record);
      return IdType(row);
    }
    return add(record);
  }

  template <typename Change>
  void update(IdType id, Change change) {
    Record& record = rows_[id];
    uint64_t before = hash_of(record);
    change(record);
    if (uint64_t now = hash_of(record); now != before) {
      index_.rename(now, id.value, hash_of_row());
    }
  }
  const IdVector<IdType, Record>& rows() const { return rows_; }
  IdVector<IdType, Record> release() { return std::move(rows_); }
  // Exchanges the rows. The caller must return them unchanged.
  void swap_rows(IdVector<IdType, Record>& rows) { std::swap(rows_, rows); }

 private:
  auto hash_of_row() const {
    return [this](uint32_t row) { return hash_of(rows_[IdType(row)]); };
  }

  IdVector<IdType, Record> rows_;
  IdIndex index_;
};

}  // namespace wick

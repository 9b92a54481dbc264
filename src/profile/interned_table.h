// A table in which every distinct record stands once. `hash_of(record)` is found by overload.
#pragma once

#include <utility>

#include "base/id.h"
#include "base/id_index.h"

namespace wick {

template <typename IdType, typename Record>
class InternedTable {
 public:
  IdType intern(const Record& record) {
    uint64_t hash = hash_of(record);
    uint32_t row = index_.find(hash, [&](uint32_t r) { return rows_[IdType(r)] == record; });
    if (row != IdIndex::kNone) {
      return IdType(row);
    }
    IdType id = rows_.push_back(record);
    index_.add(hash, [&](uint32_t r) { return hash_of(rows_[IdType(r)]); });
    return id;
  }

  const IdVector<IdType, Record>& rows() const { return rows_; }
  IdVector<IdType, Record> release() { return std::move(rows_); }
  // Lends the rows, or takes them back unchanged.
  void swap_rows(IdVector<IdType, Record>& rows) { std::swap(rows_, rows); }

 private:
  IdVector<IdType, Record> rows_;
  IdIndex index_;
};

}  // namespace wick

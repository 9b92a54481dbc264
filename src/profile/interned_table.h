// A table in which every distinct record is stored once.
//
// Found by overload: `hash_of(record)`; `is_same(known, record)`, whether a record is the one that
// is known already; and `absorb(known, record)`, which adds what the record says beyond that.
// Fields that neither hash_of nor is_same look at may be changed through at().
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
  // A new row, whatever is there already.
  IdType add(const Record& record) {
    IdType id = rows_.push_back(record);
    index_.add(hash_of(record), [&](uint32_t r) { return hash_of(rows_[IdType(r)]); });
    return id;
  }
  IdType intern(const Record& record) {
    uint64_t hash = hash_of(record);
    uint32_t row = index_.find(hash, [&](uint32_t r) { return is_same(rows_[IdType(r)], record); });
    if (row != IdIndex::kNone) {
      absorb(rows_[IdType(row)], record);
      return IdType(row);
    }
    return add(record);
  }

  Record& at(IdType id) { return rows_[id]; }
  const IdVector<IdType, Record>& rows() const { return rows_; }
  IdVector<IdType, Record> release() { return std::move(rows_); }
  // Lends the rows, or takes them back unchanged.
  void swap_rows(IdVector<IdType, Record>& rows) { std::swap(rows_, rows); }

 private:
  IdVector<IdType, Record> rows_;
  IdIndex index_;
};

}  // namespace wick

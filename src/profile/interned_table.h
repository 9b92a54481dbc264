// A table in which every distinct record is stored once.
//
// Found by overload: `hash_of(record)`; `is_same(known, record)`, whether a record is the one that
// is known already; and `absorb(known, record)`, which adds what the record says beyond that.
// A row that update() changes is found as what it is from then on.
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
    index_.add(hash_of(record), hash_of_row());
    return id;
  }
  IdType intern(const Record& record) {
    return intern(record, [&](IdType, const Record& known) { return is_same(known, record); });
  }
  // `same(id, known)` decides instead.
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
  // Lends the rows, or takes them back unchanged.
  void swap_rows(IdVector<IdType, Record>& rows) { std::swap(rows_, rows); }

 private:
  auto hash_of_row() const {
    return [this](uint32_t row) { return hash_of(rows_[IdType(row)]); };
  }

  IdVector<IdType, Record> rows_;
  IdIndex index_;
};

}  // namespace wick

// IdIndex: finds the id of a row whose key already lives in columns.
//
// Interning needs a map from key to row number. A general hash map would store every key a second
// time; here a slot is only the 32-bit row number, and the caller says how to hash a key and how to
// compare it with a row. Since every row from 0 to size-1 is in the index, growing drops the old
// slots and inserts all rows again, so that two slot arrays never exist at once.
//
// A row whose key changed has a slot for each key until the index is built again. Old slots do no
// harm: `equal` compares with what the row says now.
#pragma once

#include <cstdint>

#include "base/pod_vector.h"

namespace wick {

class IdIndex {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // The row for which `equal(row)` holds among those with this hash, or kNone.
  template <typename Equal>
  uint32_t find(uint64_t hash, Equal equal) const {
    if (slots_.empty()) {
      return kNone;
    }
    for (size_t slot = hash & mask();; slot = (slot + 1) & mask()) {
      uint32_t row = slots_[slot];
      if (row == kNone || equal(row)) {
        return row;
      }
    }
  }

  // Adds row `size()`, which must be new. `hash_of(row)` is asked again for every row when growing.
  template <typename HashOf>
  void add(uint64_t hash, HashOf hash_of) {
    if (is_full()) {
      grow(hash_of);
    }
    place(hash, size_++);
  }

  // Adds a slot for a row whose key changed; `hash` and `hash_of` are of the new key.
  template <typename HashOf>
  void rename(uint64_t hash, uint32_t row, HashOf hash_of) {
    if (find(hash, [&](uint32_t other) { return other == row; }) != kNone) {
      return;
    }
    if (is_full()) {
      grow(hash_of);
    } else {
      place(hash, row);
    }
  }

  uint32_t size() const { return size_; }

 private:
  size_t mask() const { return slots_.size() - 1; }
  bool is_full() const { return (used_ + 1) * 4 > slots_.size() * 3; }

  void place(uint64_t hash, uint32_t row) {
    size_t slot = hash & mask();
    while (slots_[slot] != kNone) {
      slot = (slot + 1) & mask();
    }
    slots_[slot] = row;
    ++used_;
  }

  template <typename HashOf>
  void grow(HashOf hash_of) {
    bool has_many_rows = size_t{size_} * 2 > slots_.size();  // else most slots are of old keys
    size_t capacity = slots_.empty() ? 64 : slots_.size() * (has_many_rows ? 2 : 1);
    slots_ = {};
    slots_.assign(capacity, kNone);
    used_ = 0;
    for (uint32_t row = 0; row < size_; ++row) {
      place(hash_of(row), row);
    }
  }

  PodVector<uint32_t> slots_;
  size_t used_ = 0;    // slots
  uint32_t size_ = 0;  // rows
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// IdIndex: finds the id of a row whose key is already stored in columns.
//
// Interning needs a map from key to row number. A general hash map would store every key a second
// time. In IdIndex a slot is only the 32-bit row number, and the caller passes functions that hash
// a key and compare it with a row. All rows from 0 to size-1 are in the index, so that growing can
// free the old slots first and insert all rows again: two slot arrays never exist at once.
//
// If the key of a row changes, the row has a slot for each key until the index is rebuilt. Old
// slots are harmless: `equal` compares with the current key of the row.
#pragma once

#include <cstdint>

#include "base/pod_vector.h"

namespace wick {

class IdIndex {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // The row with this hash for which `equal(row)` is true, or kNone.
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

  // A caller that knows lookups in advance can load their memory early: first prefetch() the slot,
  // and some lookups later the row that find() compares first, which is likely().
  void prefetch(uint64_t hash) const {
    if (!slots_.empty()) {
      __builtin_prefetch(&slots_[hash & mask()]);
    }
  }
  uint32_t likely(uint64_t hash) const { return slots_.empty() ? kNone : slots_[hash & mask()]; }

  // Adds row `size()`, which must be new. Growing calls `hash_of(row)` again for every row.
  template <typename HashOf>
  void add(uint64_t hash, HashOf hash_of) {
    if (is_full()) {
      grow(hash_of);
    }
    insert(hash, size_++);
  }

  // Adds a slot for a row whose key changed; `hash` and `hash_of` belong to the new key.
  template <typename HashOf>
  void rename(uint64_t hash, uint32_t row, HashOf hash_of) {
    if (find(hash, [&](uint32_t other) { return other == row; }) != kNone) {
      return;
    }
    if (is_full()) {
      grow(hash_of);
    } else {
      insert(hash, row);
    }
  }

  uint32_t size() const { return size_; }

 private:
  size_t mask() const { return slots_.size() - 1; }
  bool is_full() const { return (used_ + 1) * 4 > slots_.size() * 3; }

  void insert(uint64_t hash, uint32_t row) {
    size_t slot = hash & mask();
    while (slots_[slot] != kNone) {
      slot = (slot + 1) & mask();
    }
    slots_[slot] = row;
    ++used_;
  }

  template <typename HashOf>
  void grow(HashOf hash_of) {
    bool has_many_rows = size_t{size_} * 2 > slots_.size();  // else most slots hold old keys
    size_t capacity = slots_.empty() ? 64 : slots_.size() * (has_many_rows ? 2 : 1);
    slots_ = {};
    slots_.assign(capacity, kNone);
    used_ = 0;
    for (uint32_t row = 0; row < size_; ++row) {
      insert(hash_of(row), row);
    }
  }

  PodVector<uint32_t> slots_;
  size_t used_ = 0;    // slots
  uint32_t size_ = 0;  // rows
};

}  // namespace wick

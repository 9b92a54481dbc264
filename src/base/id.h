// SPDX-License-Identifier: Apache-2.0
// Typed ids: a row number with the type of its table. An id of one table cannot index another
// table, and a plain row number does not convert to an id by accident. 32 bits are enough for every
// table and halve the columns.
//
// The value kNone means "no such row". It may be stored, but never used for a lookup.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/check.h"

namespace wick {

template <typename Tag>
struct Id {
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  uint32_t value = kNone;

  constexpr Id() = default;
  constexpr explicit Id(uint32_t row) : value(row) {}
  static constexpr Id from_index(size_t index) { return Id(static_cast<uint32_t>(index)); }

  constexpr bool valid() const { return value != kNone; }
  constexpr size_t index() const { return value; }
  constexpr auto operator<=>(const Id&) const = default;
};

// A table that only its own id type can index.
template <typename IdType, typename T>
class IdVector {
 public:
  const T& operator[](IdType id) const { return rows_[id.index()]; }
  T& operator[](IdType id) { return rows_[id.index()]; }
  bool contains(IdType id) const { return id.index() < rows_.size(); }
  size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }

  IdType push_back(T row) {
    CHECK(rows_.size() < IdType::kNone);
    rows_.push_back(std::move(row));
    return IdType::from_index(rows_.size() - 1);
  }
  void resize(size_t size) { rows_.resize(size); }
  void assign(size_t size, const T& value) { rows_.assign(size, value); }

  auto begin() const { return rows_.begin(); }
  auto end() const { return rows_.end(); }
  const std::vector<T>& rows() const { return rows_; }

  friend bool operator==(const IdVector&, const IdVector&) = default;

 private:
  std::vector<T> rows_;
};

}  // namespace wick

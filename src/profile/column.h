// SPDX-License-Identifier: Apache-2.0
// A column of a large table.
//
// Most columns of most profiles contain one value in every row (one event, weight 1, no thread).
// Such a column is stored as that value and a length. The first row that differs converts it to a
// plain vector. So a sample takes about 24 bytes although it has a dozen properties, and folded
// files of a million lines take little memory.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/pod_vector.h"

namespace wick {

template <typename T>
class Column {
 public:
  Column() = default;
  // `initial` is the default value of a row. It has no effect on a column with rows.
  explicit Column(T initial) : constant_(initial) {}

  size_t size() const { return size_; }
  bool is_constant() const { return values_.empty(); }

  T operator[](size_t row) const { return values_.empty() ? constant_ : values_[row]; }

  void push_back(T value) {
    if (!values_.empty()) {
      values_.push_back(value);
    } else if (size_ == 0) {
      constant_ = value;
    } else if (!is_same(value, constant_)) {
      values_.assign(size_, constant_);
      values_.push_back(value);
    }
    ++size_;
  }

  // Applies `change` to every value.
  template <typename Change>
  void transform(Change change) {
    if (values_.empty() && size_ > 0) {
      constant_ = change(constant_);
    }
    for (T& value : values_) {
      value = change(value);
    }
  }

  size_t memory_bytes() const { return values_.memory_bytes(); }

 private:
  // Compares bits, so that a NaN equals itself.
  static bool is_same(T a, T b) {
    if constexpr (std::is_same_v<T, double>) {
      return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
    } else {
      return a == b;
    }
  }

  size_t size_ = 0;
  T constant_ = {};
  PodVector<T> values_;  // empty while every row has the value constant_
};

}  // namespace wick

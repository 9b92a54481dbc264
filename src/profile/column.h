// A column of a large table. Most columns of most profiles hold one value in every row (one event,
// one weight a sample, no thread known); such a column is stored as that value and a length. The
// first row that differs turns it into a plain vector. This is what keeps a sample near 24 bytes
// although a dozen things are known about it, and what makes folded files of a million lines cheap.
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
  // While there are no rows the value is that of no row; it says what a row holds by default.
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
  // By bits: a NaN is like itself.
  static bool is_same(T a, T b) {
    if constexpr (std::is_same_v<T, double>) {
      return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
    } else {
      return a == b;
    }
  }

  size_t size_ = 0;
  T constant_ = {};
  PodVector<T> values_;  // empty while every row holds constant_
};

}  // namespace wick

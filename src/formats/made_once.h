// SPDX-License-Identifier: Apache-2.0
// What a writer repeats: the text of a frame, the labels of a thread. It is made at its first use.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

namespace wick {

template <typename T>
class MadeOnce {
 public:
  // The value of a row of some table; make() returns it.
  template <typename Make>
  const T& of(size_t row, Make make) {
    if (row >= rows_.size()) {
      rows_.resize(std::max(row + 1, rows_.size() * 2));
    }
    if (!rows_[row]) {
      rows_[row] = make();
    }
    return *rows_[row];
  }

 private:
  std::vector<std::optional<T>> rows_;
};

}  // namespace wick

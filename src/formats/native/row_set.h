// SPDX-License-Identifier: Apache-2.0
// RowSet: the set of numbers seen so far, as sorted ranges that never touch.
//
// An undamaged file is one range, so this costs nothing until something is missing. A hostile file
// can make at most one range per chunk.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace wick::native {

class RowSet {
 public:
  void clear() {
    ranges_.clear();
    count_ = 0;
  }

  void add(uint64_t begin, uint64_t end) {
    if (begin >= end) {
      return;
    }
    auto range = ranges_.upper_bound(begin);
    if (range != ranges_.begin() && std::prev(range)->second >= begin) {
      --range;
    }
    while (range != ranges_.end() && range->first <= end) {
      begin = std::min(begin, range->first);
      end = std::max(end, range->second);
      count_ -= range->second - range->first;
      range = ranges_.erase(range);
    }
    ranges_.emplace(begin, end);
    count_ += end - begin;
  }

  bool contains(uint64_t row) const {
    auto range = ranges_.upper_bound(row);
    return range != ranges_.begin() && std::prev(range)->second > row;
  }

  uint64_t count() const { return count_; }
  // One past the largest number.
  uint64_t end() const { return ranges_.empty() ? 0 : std::prev(ranges_.end())->second; }
  // The smallest number that is not in the set.
  uint64_t first_gap() const {
    return ranges_.empty() || ranges_.begin()->first > 0 ? 0 : ranges_.begin()->second;
  }

 private:
  std::map<uint64_t, uint64_t> ranges_;  // begin to end
  uint64_t count_ = 0;
};

}  // namespace wick::native

// SPDX-License-Identifier: Apache-2.0
// The spans of one thread while a trace is read, and then in the order of time.
//
// The spans of many threads arrive by turns. A std::deque of each thread would allocate small blocks
// by turns, too, so that no page was free before the last thread was done. Blocks here are as large
// as many pages, and drain() frees each before it reads the next.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "formats/chrome_trace/span_matcher.h"

namespace wick::chrome_trace {

class SpanQueue {
 public:
  void add(const RawSpan& span) {
    if (blocks_.empty() || blocks_.back().size() == blocks_.back().capacity()) {
      size_t last = blocks_.empty() ? 0 : blocks_.back().capacity();
      blocks_.emplace_back().reserve(std::clamp(2 * last, kFirstRows, kMostRows));
    }
    is_sorted_ = is_sorted_ && (size_ == 0 || last_ns_ <= span.time_ns);
    last_ns_ = span.time_ns;
    ++size_;
    blocks_.back().push_back(span);
  }

  // Calls use(span) for each, in the order of time, and removes them.
  template <typename Use>
  void drain(Use use) {
    if (!is_sorted_) {
      sort();
    }
    for (std::vector<RawSpan>& block : blocks_) {
      std::ranges::for_each(std::exchange(block, {}), use);
    }
    *this = {};
  }

 private:
  static constexpr size_t kFirstRows = 8;
  static constexpr size_t kMostRows = 4096;

  void sort() {
    std::vector<RawSpan> all;
    all.reserve(size_);
    for (std::vector<RawSpan>& block : blocks_) {
      all.insert(all.end(), block.begin(), block.end());
      block = {};
    }
    std::ranges::stable_sort(all, {}, &RawSpan::time_ns);
    blocks_.clear();
    blocks_.push_back(std::move(all));
  }

  std::vector<std::vector<RawSpan>> blocks_;
  size_t size_ = 0;
  int64_t last_ns_ = 0;
  bool is_sorted_ = true;
};

}  // namespace wick::chrome_trace

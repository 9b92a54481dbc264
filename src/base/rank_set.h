// SPDX-License-Identifier: Apache-2.0
// RankSet: a set of small numbers. rank(x) is the number of members below x. It costs one and a
// half bits for each possible number; a table of positions would cost 32.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/pod_vector.h"

namespace wick {

class RankSet {
 public:
  explicit RankSet(size_t size) : words_((size + 63) / 64), ranks_(words_.size()) {}

  void insert(size_t member) { words_[member / 64] |= uint64_t{1} << (member % 64); }
  bool contains(size_t member) const { return (words_[member / 64] >> (member % 64) & 1U) != 0; }

  // Computes the ranks; they are valid until the next insert.
  void number() {
    uint32_t below = 0;
    for (size_t i = 0; i < words_.size(); ++i) {
      ranks_[i] = below;
      below += static_cast<uint32_t>(std::popcount(words_[i]));
    }
    size_ = below;
  }
  size_t size() const { return size_; }
  size_t rank(size_t member) const {
    uint64_t below = words_[member / 64] & ((uint64_t{1} << (member % 64)) - 1);
    return ranks_[member / 64] + static_cast<size_t>(std::popcount(below));
  }

 private:
  std::vector<uint64_t> words_;
  std::vector<uint32_t> ranks_;  // members below each word
  size_t size_ = 0;
};

// The same for bits that are appended in order: rank() is valid at any time.
class RankBits {
 public:
  size_t size() const { return size_; }
  bool operator[](size_t index) const { return (words_[index / 64] >> (index % 64) & 1U) != 0; }
  // The number of set bits below `index`.
  size_t rank(size_t index) const {
    uint64_t below = words_[index / 64] & ((uint64_t{1} << (index % 64)) - 1);
    return ranks_[index / 64] + static_cast<size_t>(std::popcount(below));
  }
  void push_back(bool bit) {
    if (size_ % 64 == 0) {
      words_.push_back(0);
      ranks_.push_back(static_cast<uint32_t>(set_));
    }
    words_[size_ / 64] |= uint64_t{bit} << (size_ % 64);
    set_ += bit ? 1 : 0;
    ++size_;
  }

 private:
  PodVector<uint64_t> words_;
  PodVector<uint32_t> ranks_;  // set bits below each word
  size_t size_ = 0;
  size_t set_ = 0;
};

}  // namespace wick

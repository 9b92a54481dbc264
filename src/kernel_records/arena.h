// SPDX-License-Identifier: Apache-2.0
// Memory for the parts of samples that cannot be borrowed from the recording: words of another byte
// order, or at odd offsets (before perf 6.16, COMPRESSED records had odd sizes, so that everything
// after them is at odd offsets). A checkpoint frees all of it at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace wick::kernel_records {

class Arena {
 public:
  std::span<uint64_t> words(size_t count) {
    if (count > left_.size()) {
      next_size_ = std::min(2 * next_size_, kLargestBlock);
      size_t size = std::max(count, next_size_);
      blocks_.push_back(std::make_unique_for_overwrite<uint64_t[]>(size));
      left_ = {blocks_.back().get(), size};
      bytes_ += size * sizeof(uint64_t);
    }
    std::span<uint64_t> given = left_.first(count);
    left_ = left_.subspan(count);
    return given;
  }

  size_t bytes() const { return bytes_; }

  void clear() {
    blocks_.clear();
    left_ = {};
    bytes_ = 0;
  }

 private:
  static constexpr size_t kLargestBlock = 1 << 17;  // 1 MB

  std::vector<std::unique_ptr<uint64_t[]>> blocks_;
  std::span<uint64_t> left_;
  size_t next_size_ = 1 << 10;
  size_t bytes_ = 0;
};

}  // namespace wick::kernel_records

// SPDX-License-Identifier: Apache-2.0
// The numbers of processes or threads that have rows in the profile, given out again after use: a
// recording of the whole machine sees any number of short processes, and the last stage has a slot
// for each number.
//
// Batches reach the last stage in order, and it takes the new rows of a batch before the updates of
// the same batch. So a number that an update releases may be used by the next batch, not by this
// one.
#pragma once

#include <cstdint>
#include <vector>

namespace wick {

class RowNumbers {
 public:
  uint32_t take() {
    if (free_.empty()) {
      return used_++;
    }
    uint32_t number = free_.back();
    free_.pop_back();
    return number;
  }
  void release(uint32_t number) { released_.push_back(number); }
  void start_batch() {
    free_.insert(free_.end(), released_.begin(), released_.end());
    released_.clear();
  }

 private:
  uint32_t used_ = 0;
  std::vector<uint32_t> free_;
  std::vector<uint32_t> released_;  // in the current batch
};

}  // namespace wick

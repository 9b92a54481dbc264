// SPDX-License-Identifier: Apache-2.0
// The outer frames that were read from running threads, beyond the copies of their stacks.
//
// Code that calls through pointers does not show which function it has called (call_check.h). But
// outer frames that were in the process before a sample, and still are after it, were there at the
// sample, too.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "unwind/unwind.h"

namespace wick {

class KnownRests {
 public:
  // Whether the same frames, up to the outermost one, had been read before this time.
  bool was_there(int32_t tid, int64_t time_ns, std::span<const UnwoundFrame> rest) const {
    auto known = by_tid_.find(tid);
    return known != by_tid_.end() && known->second.read_ns < time_ns &&
           known->second.frames.size() >= rest.size() &&
           std::ranges::equal(rest, std::span(known->second.frames).last(rest.size()));
  }
  // `read_ns`: when all of it had been read.
  void remember(int32_t tid, int64_t read_ns, std::span<const UnwoundFrame> rest) {
    if (by_tid_.size() >= kMaxThreads) {
      by_tid_.clear();
    }
    Rest& known = by_tid_[tid];
    known.read_ns = read_ns;
    known.frames.assign(rest.begin(), rest.end());
  }

 private:
  static constexpr size_t kMaxThreads = 16;

  struct Rest {
    int64_t read_ns = 0;
    std::vector<UnwoundFrame> frames;
  };
  std::unordered_map<int32_t, Rest> by_tid_;
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Counter values that were read when a sample was taken (perf record -e '{a,b}:S'). A value is the
// count since the event was opened. The weight of a sample is the difference to the previous value
// of the same event (and of the same thread, if threads inherit the event).
#pragma once

#include <cstdint>

#include "base/hash.h"
#include "base/id_index.h"
#include "base/pod_vector.h"

namespace wick::kernel_records {

class CounterValues {
 public:
  // Returns the increase of the counter; the whole value if the counter is new or was reset. `lost`
  // is the number of samples that this event has lost so far, as counted by the kernel.
  uint64_t advance(uint64_t id, int32_t tid, uint64_t value, uint64_t lost) {
    uint64_t hash = hash_mix(id, static_cast<uint64_t>(static_cast<uint32_t>(tid)));
    uint32_t row =
        index_.find(hash, [&](uint32_t r) { return rows_[r].id == id && rows_[r].tid == tid; });
    if (row == IdIndex::kNone) {
      if (rows_.size() == kMaxRows) {
        return value;
      }
      row = static_cast<uint32_t>(rows_.size());
      rows_.push_back({.id = id, .value = 0, .lost = 0, .tid = tid});
      index_.add(hash, [&](uint32_t r) {
        return hash_mix(rows_[r].id, static_cast<uint64_t>(static_cast<uint32_t>(rows_[r].tid)));
      });
    }
    Row& known = rows_[row];
    uint64_t growth = value >= known.value ? value - known.value : value;
    known.value = value;
    total_lost_ += lost > known.lost ? lost - known.lost : 0;
    known.lost = lost > known.lost ? lost : known.lost;
    return growth;
  }

  uint64_t total_lost() const { return total_lost_; }

 private:
  static constexpr size_t kMaxRows = 1 << 22;  // one per event and thread; bounds damaged files
  struct Row {
    uint64_t id;
    uint64_t value;
    uint64_t lost;
    int32_t tid;
  };

  PodVector<Row> rows_;
  IdIndex index_;
  uint64_t total_lost_ = 0;
};

}  // namespace wick::kernel_records

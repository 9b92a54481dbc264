// SPDX-License-Identifier: Apache-2.0
// The state of reading a perf.data file: what its kernel records need, and a count of its other
// contents.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "formats/perf_data/layout.h"
#include "kernel_records/recording.h"
#include "stream/event.h"

namespace wick::perf_data {

// Records of perf and simpleperf, and feature sections; reported as facts at the end.
class FileContents {
 public:
  void count_record(uint32_t type) {
    if (type < kPlausibleTypes) [[likely]] {
      ++tool_records_[type % kPlausibleTypes];
    } else if (type >= kFirstSimpleperfRecord && type <= kLastSimpleperfRecord) {
      ++simpleperf_records_[type - kFirstSimpleperfRecord];
    }
  }
  void count_feature(uint32_t feature, uint64_t bytes, bool used) {
    features_.push_back({feature, bytes, used});
  }

  void report(EventSink& sink) const;

 private:
  struct FeatureRow {
    uint32_t feature;
    uint64_t bytes;
    bool used;
  };
  static constexpr size_t kSimpleperfTypes = kLastSimpleperfRecord - kFirstSimpleperfRecord + 1;

  std::array<uint64_t, kPlausibleTypes> tool_records_ = {};
  std::array<uint64_t, kSimpleperfTypes> simpleperf_records_ = {};
  std::vector<FeatureRow> features_;
};

class FileRecording : public Recording {
 public:
  using Recording::Recording;

  FileContents contents;

  void count_record(uint32_t type) {
    if (type < kFirstToolRecord) [[likely]] {
      account.count_record(type);
    } else {
      contents.count_record(type);
    }
  }
};

}  // namespace wick::perf_data
